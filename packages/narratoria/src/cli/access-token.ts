/** The token that a browser must know: made once and kept, so that a restart leaves the browser signed in. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DATA_FILES } from "../stores/data-folder-check.ts";
import { readPrivateFile, writePrivateFile } from "../stores/private-folder.ts";

export function keptToken(dataDir: string): string {
  const file = join(dataDir, DATA_FILES.token);
  const kept = readPrivateFile(file)?.trim() ?? "";
  if (/^[0-9a-f]{64}$/.test(kept)) return kept;
  const token = randomBytes(32).toString("hex");
  writePrivateFile(file, `${token}\n`);
  return token;
}
