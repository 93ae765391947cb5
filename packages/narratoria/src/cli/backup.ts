/** `narratoria backup DIR`: a copy of everything that is kept, also while a host is running. */
import { resolve } from "node:path";
import { backUp, dataFolder } from "../data.ts";
import { orComplain } from "./open-or-complain.ts";
import { printDocument } from "./print-json.ts";
import { complain, FAILURE, say } from "./say.ts";

export interface BackupOptions {
  data?: string;
  json?: boolean;
}

export async function backupCommand(dir: string, options: BackupOptions): Promise<number> {
  const done = await orComplain(() => backUp(dataFolder(options.data), resolve(dir)));
  if (done === null) return FAILURE;
  if (done.kind === "refused") return complain(done.message);
  const { kind: _, ...about } = done;
  if (options.json) await printDocument(about, "indented");
  else {
    say(`${done.sessions} sessions and ${done.assets} assets are in ${done.folder}`);
    say(`narratoria serve --data ${done.folder} opens them.`);
  }
  if (done.missing > 0) complain(`${done.missing} assets could not be copied: they are not there, or damaged`);
  if (done.isDamaged) complain("what was copied is not as Narratoria wrote it: narratoria doctor says what is damaged");
  return done.missing > 0 || done.isDamaged ? FAILURE : 0;
}
