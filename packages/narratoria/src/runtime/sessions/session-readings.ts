/** The part of the session service that only looks: views, lists, one turn, where a value came from, assets. */
import { parsePointer } from "../../story/json-pointer.ts";
import { initialStateOf, loadTurn, stateAt } from "./load-view.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { findProvenance } from "./provenance.ts";
import { rebuildTurn } from "../turns/rebuild-turn.ts";
import { notFound, refused } from "../seams/refusals.ts";
import { exportSession } from "../session-file/session-file.ts";
import { formatLogLine, summarize, treeOf } from "./session-lists.ts";
import { isRefusal, type LogLine, type SessionService } from "../seams/session-service.ts";
import type { SessionRow, Store } from "../seams/store.ts";
import type { StoryShelf } from "../mounts/story-shelf.ts";

export type SessionReadings = Pick<
  SessionService,
  "stories" | "list" | "view" | "turn" | "stateAt" | "tree" | "why" | "logs" | "asset" | "export"
>;

export function createReadings(
  store: Store,
  shelf: StoryShelf,
  { live, turnIn, stateBefore }: OpenSessions,
  assetFile: (sha256: string) => string,
): SessionReadings {
  return {
    stories: () => shelf.list(),
    list: () => store.sessions().map((session) => summarize(store, session)),

    view(sessionId) {
      const session = live(sessionId);
      return isRefusal(session) ? session : session.view;
    },

    turn(sessionId, turnId) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      const row = turnIn(sessionId, turnId);
      if (isRefusal(row)) return row;
      const trace = store.turnEvents(turnId);
      const before = stateBefore(sessionId, row);
      const { plans, unfinished } = rebuildTurn(trace, before, store.countLogLines);
      return {
        turn: loadTurn(store, store.session(sessionId) as SessionRow, row, before),
        plans: [
          ...plans.map((planned) =>
            planned.kind === "executed"
              ? { plan: planned.plan, result: planned.result }
              : { plan: planned.plan as never, problems: planned.problems as never, result: null },
          ),
          ...(unfinished === null ? [] : [{ plan: unfinished.plan, result: null }]),
        ],
        trace,
      };
    },

    stateAt(sessionId, turnId) {
      const row = turnIn(sessionId, turnId);
      return isRefusal(row) ? row : { turnId, state: stateAt(store, turnId, initialStateOf(store, sessionId)) };
    },

    tree(sessionId) {
      const session = live(sessionId);
      return isRefusal(session) ? session : treeOf(store, session.view);
    },

    why(sessionId, path) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      if (parsePointer(path) === null)
        return refused("bad_request", `${path} is no JSON pointer; try /inventory/torch/lit`);
      return findProvenance(store, session.view.headTurnId, path, session.view.state);
    },

    logs(sessionId, spanId, { from, count, width }) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      const lines: LogLine[] = [];
      for (const event of store.logLines(spanId, from, count))
        lines.push(formatLogLine(event, from + lines.length, width));
      return lines;
    },

    asset(id) {
      const event = store.event(id);
      const asset = event?.data?.["asset"] as { sha256?: string; mediaType: string; bytes?: number } | undefined;
      if (asset?.sha256 === undefined) return notFound("asset", id);
      return { file: assetFile(asset.sha256), mediaType: asset.mediaType, bytes: asset.bytes ?? 0 };
    },

    export(sessionId) {
      const session = store.session(sessionId);
      return session === null ? notFound("session", sessionId) : exportSession(store, session, assetFile);
    },
  };
}
