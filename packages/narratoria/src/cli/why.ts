/** `narratoria why SESSION PATH`: which tool of which turn set a value, and what it was before. */
import { dataFolder } from "../data.ts";
import { isRefusal } from "../index.ts";
import { readOrComplain } from "./open-or-complain.ts";
import { printDocument } from "./print-json.ts";
import { renderProvenance } from "./render-provenance.ts";
import { named, refuse, type SessionsCommandOptions } from "./sessions.ts";
import { createTerminal } from "./terminal.ts";

export async function whyCommand(name: string, path: string, options: SessionsCommandOptions): Promise<number> {
  const sessions = await readOrComplain(dataFolder(options.data));
  if (sessions === null) return 1;
  try {
    const session = await named(sessions, name);
    const provenance = isRefusal(session) ? session : await sessions.why(session.sessionId, path);
    if (isRefusal(provenance)) return await refuse(provenance, options);
    const terminal = createTerminal(process.stdout);
    if (options.json) await printDocument(provenance, "indented");
    else terminal.lines(renderProvenance(provenance, terminal));
    return 0;
  } finally {
    await sessions.close();
  }
}
