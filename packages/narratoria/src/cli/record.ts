/** `narratoria record SESSION [--turn N]`: what tools answered there, as a file to mount in their place. */
import { dataFolder } from "../data.ts";
import { isRefusal, recordTurns } from "../index.ts";
import { readOrComplain } from "./open-or-complain.ts";
import { printDocument } from "./print-json.ts";
import { named, refuse, type SessionsCommandOptions } from "./sessions.ts";

export async function recordCommand(name: string, options: SessionsCommandOptions): Promise<number> {
  const sessions = await readOrComplain(dataFolder(options.data));
  if (sessions === null) return 1;
  try {
    const session = await named(sessions, name);
    if (isRefusal(session)) return await refuse(session, options);
    const tree = await sessions.tree(session.sessionId);
    if (isRefusal(tree)) return await refuse(tree, options);
    const turns = tree.filter(
      ({ isOnHeadPath, number }) => isOnHeadPath && (options.turn ?? String(number)) === String(number),
    );
    const inOrder = turns.toSorted((a, b) => a.number - b.number).map(({ turnId }) => turnId);
    const recording = await recordTurns(sessions, session.sessionId, inOrder);
    if (recording === null) {
      const message = "no tool was used there, so there is nothing to record";
      return await refuse({ kind: "refused", code: "not_found", message }, options);
    }
    await printDocument(recording, "indented");
    return 0;
  } finally {
    await sessions.close();
  }
}
