/** What a turn gets of its session (`turns/turn-session.ts`): the state as of the last commit, and a log that knows the turn. */
import { placed } from "../../story/event.ts";
import type { TurnSession } from "../turns/turn-session.ts";
import type { CatchUp } from "./catch-up.ts";
import type { LiveSession } from "./live-session.ts";
import type { SessionLog } from "./session-log.ts";

export function sessionOfTurn(session: LiveSession, turnId: string, log: SessionLog, catchUp: CatchUp): TurnSession {
  const { sessionId } = session;
  return {
    sessionId,
    state: session.state,
    glance: session.glance,
    append: (drafts) =>
      log.append(
        sessionId,
        drafts.map((draft) => placed(draft, { session_id: sessionId, turn_id: draft.turn_id ?? turnId })),
      ),
    appendLines: (draft, number, lines, progress) =>
      log.appendLines(sessionId, { ...draft, turn_id: turnId }, number, lines, progress),
    appendOrOwe: (draft) => log.appendOrOwe(sessionId, { ...draft, turn_id: draft.turn_id ?? turnId }),
    catchUpWith: async (story) => {
      const drafts = await catchUp(sessionId, story);
      if (drafts.length > 0) log.append(sessionId, drafts);
    },
  };
}
