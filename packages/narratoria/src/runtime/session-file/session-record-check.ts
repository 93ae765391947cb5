/** Whether the records of a session file tell a session: one beginning, turns that hang together, events like ours. */
import { isJsonObject, type Json } from "@narratoria/tool/json";
import { checkToolEvent, parseToolEvent } from "@narratoria/tool/protocol";
import { eventSchema, type NarratoriaEvent } from "../../story/event.ts";
import { emptyView, foldView } from "../../story/fold-view.ts";
import { parsePlan } from "../../story/plan.ts";
import { assetHashOf, type FileLine } from "./session-file.ts";

export interface RecordCheck {
  /** What is wrong with the next record, or null. */
  take(line: FileLine): string | null;
  finish(): string | null;
  /** The assets that events refer to. */
  readonly assets: Set<string>;
}

export function createRecordCheck(): RecordCheck {
  const numbers = new Map<string, number>();
  const assets = new Set<string>();
  const ids = new Set<string>();
  let sessionId: string | null = null;
  let view = emptyView("");

  function take(line: FileLine): string | null {
    if (line.kind === "event") return takeEvent(line.event);
    if (line.kind === "lines") return takeLines(line);
    return `a line of an unknown kind`;
  }

  function takeEvent(event: NarratoriaEvent): string | null {
    const envelope = findEnvelopeProblem(event);
    if (envelope !== null) return envelope;
    if (ids.has(event.id)) return "an event is there twice";
    ids.add(event.id);
    const problem = event.event === "turn:start" ? findTurnProblem(event) : findContentProblem(event);
    return problem ?? fold(event);
  }

  function takeLines(line: FileLine & { kind: "lines" }): string | null {
    const { first, number, lines, progress } = line;
    const envelope = findEnvelopeProblem(first);
    if (envelope !== null) return envelope;
    if (first.event !== "tool:event" || !first.turn_id || !first.span_id) return "log lines of no attempt";
    if (!Number.isSafeInteger(number) || number < 0 || (progress !== null && typeof progress !== "number"))
      return "log lines";
    if (!Array.isArray(lines) || lines.length === 0) return "no log lines";
    return lines.every(isLogLine) ? null : "a log line that is none";
  }

  function findEnvelopeProblem(event: NarratoriaEvent): string | null {
    if (!eventSchema.safeParse(event).success) return "an event that is none of ours";
    const isStart = event.event === "session:start";
    if (isStart !== (sessionId === null)) return isStart ? "a second beginning" : "no beginning";
    sessionId ??= event.session_id ?? "";
    if (event.session_id !== sessionId || event.event === "session:fork") return "events of several sessions";
    if (event.turn_id && event.event !== "turn:start" && !numbers.has(event.turn_id))
      return "an event of an unknown turn";
    return null;
  }

  function findTurnProblem({ turn_id, data }: NarratoriaEvent): string | null {
    const { turnId, parentTurnId, number } = data ?? {};
    if (typeof turnId !== "string" || turnId === "" || turnId !== turn_id || numbers.has(turnId)) return "a turn twice";
    const before = typeof parentTurnId === "string" ? numbers.get(parentTurnId) : -1;
    if (before === undefined || number !== before + 1) return "a turn without the one before it";
    numbers.set(turnId, number);
    return null;
  }

  function findContentProblem(event: NarratoriaEvent): string | null {
    const data = event.data ?? {};
    switch (event.event) {
      case "session:head":
      case "session:bookmark":
        return isKnownTurn(data["turnId"] ?? null) ? null : "a pointer to an unknown turn";
      case "plan:create":
        return event.status === "rejected" || parsePlan(data["plan"]).kind === "plan" ? null : "a plan that is none";
      case "tool:event": {
        if (checkToolEvent(data["event"]).kind !== "event") return "a tool's event that is none";
        const sha256 = assetHashOf(event);
        if (sha256 !== null && !/^[0-9a-f]{64}$/.test(sha256)) return "an asset with no hash";
        if (sha256 !== null) assets.add(sha256);
        return isJsonObject(data["event"]) && data["event"]["type"] === "asset" && !isJsonObject(data["asset"])
          ? "an asset"
          : null;
      }
      default:
        return null;
    }
  }

  /** Null is the time before the first turn. */
  function isKnownTurn(turnId: Json): boolean {
    return turnId === null || (typeof turnId === "string" && numbers.has(turnId));
  }

  /** Whatever the checks above let through, the views must be able to show. */
  function fold(event: NarratoriaEvent): string | null {
    try {
      view = foldView(view, [event]);
      // Only the latest turn: a long story must not be held whole.
      view = { ...view, turns: view.turns.slice(-1) };
      return null;
    } catch {
      return `an event (${event.event}) that cannot be shown`;
    }
  }

  return { take, finish: () => (sessionId === null ? "no beginning" : null), assets };
}

function isLogLine(line: unknown): boolean {
  if (typeof line !== "string" || line.includes("\n")) return false;
  const reading = parseToolEvent(line);
  return reading.kind === "event" && reading.event.type === "log";
}
