/** Sessions, turns and log lines as lists show them. */
import { isJsonObject } from "@narratoria/tool/json";
import type { NarratoriaEvent } from "../../story/event.ts";
import type { SessionView } from "../../story/session-view.ts";
import type { LogLine, SessionSummary, TreeNode } from "../seams/session-service.ts";
import type { SessionRow, Store, TurnRow } from "../seams/store.ts";

const EXCERPT_CHARACTERS = 160;

export function summarize(store: Store, session: SessionRow): SessionSummary {
  const head = session.headTurnId === null ? null : store.turn(session.headTurnId);
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
    turnCount: head === null ? 0 : head.number + 1,
    excerpt: head === null ? "" : excerptOf(store, head),
  };
}

function excerptOf(store: Store, turn: TurnRow): string {
  const end = store.turnEvents(turn.turnId).findLast(({ event }) => event === "turn:end");
  const narrative = end?.data?.["narrative"];
  return typeof narrative === "string" ? narrative.replaceAll(/\s+/g, " ").trim().slice(0, EXCERPT_CHARACTERS) : "";
}

/** The session's own turns and those it inherited, oldest first. */
export function treeOf(store: Store, view: SessionView): TreeNode[] {
  const session = store.session(view.sessionId);
  const inherited = session?.forkTurnId ? store.pathTo(session.forkTurnId, Number.MAX_SAFE_INTEGER) : [];
  const onPath = view.headTurnId === null ? [] : store.pathTo(view.headTurnId, Number.MAX_SAFE_INTEGER);
  const headPath = new Set(onPath.map(({ turnId }) => turnId));
  return [...inherited, ...store.turnsOf(view.sessionId)].map((turn) => ({
    turnId: turn.turnId,
    parentTurnId: turn.parentTurnId,
    number: turn.number,
    prompt: store.promptOf(turn) || null,
    status: turn.status,
    ending: turn.ending,
    bookmark: view.bookmarks[turn.turnId] ?? null,
    isOnHeadPath: headPath.has(turn.turnId),
    startedAt: turn.startedAt,
  }));
}

export function formatLogLine(event: NarratoriaEvent, number: number, width: number = Infinity): LogLine {
  const printed = event.data?.["event"];
  const { level, message, fields } = isJsonObject(printed) ? printed : {};
  const text = typeof message === "string" ? message : "";
  const isCut = text.length > width;
  return {
    seq: event.seq ?? 0,
    number,
    ts: event.ts,
    level: typeof level === "string" ? level : "info",
    message: isCut ? copyOfStart(text, width) : text,
    fields: isJsonObject(fields) && width === Infinity ? fields : null,
    ...(isCut && { length: text.length }),
  };
}

/** A slice would keep the whole string alive behind it. */
function copyOfStart(text: string, width: number): string {
  return Buffer.from(text.slice(0, width).toWellFormed()).toString();
}
