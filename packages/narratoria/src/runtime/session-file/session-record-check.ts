/** Whether the records of a session file tell a session: one beginning, turns that hang together, plans that are plans. */
import { checkToolEvent, parseToolEvent } from "@narratoria/tool/protocol";
import type { EventOf, LineEnvelope, NarratoriaEvent } from "../../story/event.ts";
import { emptyView, foldView } from "../../story/fold-view.ts";
import { parsePlan } from "../../story/plan.ts";
import { assetHashOf, type FileRecord } from "./file-line.ts";

export interface RecordCheck {
  /** What is wrong with the next record, or null. */
  take(record: FileRecord): string | null;
  finish(): string | null;
  /** The assets that events refer to. */
  readonly assets: ReadonlySet<string>;
}

/** They become parts of addresses, and are kept as they are. */
const ORDINARY_ID = /^[\w.:-]{1,200}$/;
/** The last that JavaScript knows, in seconds. */
const LATEST_TIME = 8.64e12;
/** Folded at once: one by one would cost a copy of the turn each. */
const FOLDED_AT_ONCE = 1_000;

export function createRecordCheck(): RecordCheck {
  const numbers = new Map<string, number>();
  const assets = new Set<string>();
  const ids = new Set<string>();
  let sessionId: string | null = null;
  let view = emptyView("");
  let unfolded: NarratoriaEvent[] = [];

  function take(record: FileRecord): string | null {
    if (record.kind === "event") return takeEvent(record.event);
    return findPlaceProblem(record.first) ?? (record.lines.every(isLogLine) ? null : "a log line that is none");
  }

  function takeEvent(event: NarratoriaEvent): string | null {
    const misplaced = findPlaceProblem(event);
    if (misplaced !== null) return misplaced;
    if (ids.has(event.id)) return "an event is there twice";
    ids.add(event.id);
    const problem = findContentProblem(event);
    if (problem !== null) return problem;
    unfolded.push(event);
    return unfolded.length < FOLDED_AT_ONCE ? null : fold();
  }

  function findPlaceProblem(event: NarratoriaEvent | LineEnvelope): string | null {
    const { id, session_id, turn_id, span_id, ts } = event;
    if (ts < 0 || ts > LATEST_TIME) return "a time that is none";
    if (![id, session_id, turn_id, span_id].every((one) => !one || ORDINARY_ID.test(one))) return "an id that is none";
    const isStart = event.event === "session:start";
    if (isStart !== (sessionId === null)) return isStart ? "a second beginning" : "no beginning";
    sessionId ??= event.session_id ?? "";
    if (event.session_id !== sessionId || event.event === "session:fork") return "events of several sessions";
    if (event.turn_id && event.event !== "turn:start" && !numbers.has(event.turn_id))
      return "an event of an unknown turn";
    return null;
  }

  function findContentProblem(event: NarratoriaEvent): string | null {
    switch (event.event) {
      case "turn:start":
        return findTurnProblem(event);
      case "session:head":
      case "session:bookmark":
        return isKnownTurn(event.data.turnId ?? null) ? null : "a pointer to an unknown turn";
      case "plan:create":
        return event.status === "rejected" || parsePlan(event.data.plan).kind === "plan" ? null : "a plan that is none";
      case "tool:event":
        return findPrintedProblem(event);
      default:
        return null;
    }
  }

  function findTurnProblem({ turn_id, data }: EventOf<"turn:start">): string | null {
    const { turnId, parentTurnId, number } = data;
    if (turnId === "" || turnId !== turn_id || numbers.has(turnId)) return "a turn twice";
    const before = parentTurnId ? numbers.get(parentTurnId) : -1;
    if (before === undefined || number !== before + 1) return "a turn without the one before it";
    numbers.set(turnId, number);
    return null;
  }

  function findPrintedProblem(event: EventOf<"tool:event">): string | null {
    if (checkToolEvent(event.data.event).kind !== "event") return "a tool's event that is none";
    const sha256 = assetHashOf(event);
    if (sha256 !== null && !/^[0-9a-f]{64}$/.test(sha256)) return "an asset with no hash";
    if (sha256 !== null) assets.add(sha256);
    return event.data.event.type === "asset" && !event.data.asset ? "an asset" : null;
  }

  /** Null is the time before the first turn. */
  function isKnownTurn(turnId: string | null): boolean {
    return turnId === null || numbers.has(turnId);
  }

  /** Whatever the checks above let through, the views must be able to show. */
  function fold(): string | null {
    try {
      view = foldView(view, unfolded);
      // Only the latest turn: a long story must not be held whole.
      view = { ...view, turns: view.turns.slice(-1) };
      unfolded = [];
      return null;
    } catch {
      return "events that cannot be shown";
    }
  }

  return { take, finish: () => (sessionId === null ? "no beginning" : fold()), assets };
}

function isLogLine(line: string): boolean {
  if (line.includes("\n")) return false;
  const reading = parseToolEvent(line);
  return reading.kind === "event" && reading.event.type === "log";
}
