/** Sessions, turns and log lines as lists show them. */
import type { EventOf } from "../../story/event.ts";
import type { SessionView } from "../../story/session-view.ts";
import type { Sliced } from "../execution/slices.ts";
import { diskTroubleIn } from "../seams/disk-trouble.ts";
import type { LogLine, SessionSummary, TreeNode } from "../seams/session-service.ts";
import type { SessionRow, Store, TurnRow } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";

const EXCERPT_CHARACTERS = 160;

/** All of them, each as it is when it is come to. */
export function* listOf(store: Store): Sliced<SessionSummary[]> {
  const list: SessionSummary[] = [];
  for (const session of store.sessions()) {
    list.push(summarize(store, session));
    yield;
  }
  return list;
}

function summarize(store: Store, session: SessionRow): SessionSummary {
  const { sessionId, title, storyTitle, storyDir, createdAt, updatedAt, ended, parentSessionId, forkTurnId } = session;
  return {
    sessionId,
    title,
    storyTitle,
    storyDir,
    createdAt,
    updatedAt,
    ended,
    parentSessionId,
    forkTurnId,
    ...latestOf(store, session),
  };
}

/** A story that is damaged must not hide the others. */
function latestOf(store: Store, { sessionId, headTurnId }: SessionRow): { turnCount: number; excerpt: string } {
  try {
    // Asked for by itself, the session is held against its log.
    store.session(sessionId);
    const head = headTurnId === null ? null : store.turn(headTurnId);
    return head === null
      ? { turnCount: 0, excerpt: "" }
      : { turnCount: head.number + 1, excerpt: lastWordsOf(store, head) };
  } catch (error) {
    const trouble = diskTroubleIn(error);
    if (trouble === null) throw error;
    return { turnCount: 0, excerpt: trouble.message };
  }
}

function lastWordsOf(store: Store, turn: TurnRow): string {
  const texts = store.turnEvents(turn.turnId, ["turn:tell", "plan:create", "turn:end"]).map((event) => {
    if (event.event === "turn:tell") return event.data.text;
    // What is told after a plan begins anew.
    return event.event === "plan:create" ? "\n" : `\n${event.data.narrative ?? ""}`;
  });
  return texts.join("").replaceAll(/\s+/g, " ").trim().slice(0, EXCERPT_CHARACTERS);
}

/** The session's own turns and those it inherited, oldest first. */
export function* treeOf(store: Store, ancestry: Ancestry, view: SessionView): Sliced<TreeNode[]> {
  const onPath = view.headTurnId === null ? [] : store.pathTo(view.headTurnId, Number.MAX_SAFE_INTEGER);
  const headPath = new Set(onPath.map(({ turnId }) => turnId));
  const nodes: TreeNode[] = [];
  for (const turn of ancestry.turns(view.sessionId)) {
    const { turnId, parentTurnId, number, status, ending, startedAt } = turn;
    const prompt = store.promptOf(turn) || null;
    const bookmark = view.bookmarks[turnId] ?? null;
    const isOnHeadPath = headPath.has(turnId);
    nodes.push({ turnId, parentTurnId, number, prompt, status, ending, bookmark, isOnHeadPath, startedAt });
    yield;
  }
  return nodes;
}

export function formatLogLine(line: EventOf<"tool:event">, number: number, width: number = Infinity): LogLine {
  const printed = line.data.event;
  const { level, message, fields } = printed.type === "log" ? printed : { level: "info", message: "", fields: null };
  const isCut = message.length > width;
  return {
    seq: line.seq ?? 0,
    number,
    ts: line.ts,
    level,
    message: isCut ? copyOfStart(message, width) : message,
    fields: width === Infinity ? (fields ?? null) : null,
    ...(isCut && { length: message.length }),
  };
}

/** A slice would keep the whole string alive behind it. */
function copyOfStart(text: string, width: number): string {
  return Buffer.from(text.slice(0, width).toWellFormed()).toString();
}
