/** `narratoria trace SESSION [--turn N]`: what happened in a turn and when. `render-trace.ts` draws it. */
import { dataFolder } from "../data.ts";
import { isRefusal, type Refusal, type SessionService, type TurnRecord } from "../index.ts";
import { readOrComplain } from "./open-or-complain.ts";
import { printDocument } from "./print-json.ts";
import { renderTrace } from "./render-trace.ts";
import { named, refuse, type SessionsCommandOptions } from "./sessions.ts";
import { createTerminal } from "./terminal.ts";

export async function traceCommand(name: string, options: SessionsCommandOptions): Promise<number> {
  const sessions = await readOrComplain(dataFolder(options.data));
  if (sessions === null) return 1;
  try {
    const session = await named(sessions, name);
    const record = isRefusal(session) ? session : await findTurn(sessions, session.sessionId, options.turn);
    if (isRefusal(record)) return await refuse(record, options);
    const terminal = createTerminal(process.stdout);
    if (options.json) await printDocument(record, "indented");
    else terminal.lines(renderTrace(record, terminal));
    return 0;
  } finally {
    await sessions.close();
  }
}

/** Numbers count along the way to the head; 0 is the opening scene. A turn's id is taken too. */
async function findTurn(
  sessions: SessionService,
  sessionId: string,
  wanted: string | undefined,
): Promise<TurnRecord | Refusal> {
  const tree = await sessions.tree(sessionId);
  const view = await sessions.view(sessionId);
  if (isRefusal(tree)) return tree;
  if (isRefusal(view)) return view;
  const turnId =
    wanted === undefined
      ? view.headTurnId
      : (tree.find((turn) => turn.turnId === wanted || (turn.isOnHeadPath && String(turn.number) === wanted))?.turnId ??
        null);
  if (turnId === null) {
    const last = view.turnCount - 1;
    return {
      kind: "refused",
      code: "not_found",
      message: `there is no turn ${wanted ?? ""}; they go from 0 to ${last}`,
    };
  }
  return sessions.turn(sessionId, turnId);
}
