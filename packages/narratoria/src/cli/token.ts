/** `narratoria token`: the token that scripts send, or a new one, which ends every sign-in that the old one gave. */
import { join } from "node:path";
import { createSignInFile, DATA_FILES, dataFolder, lockDataFolder, makeDataFolder } from "../data.ts";
import { keptToken, newToken } from "./access-token.ts";
import { complain, FAILURE, say } from "./say.ts";
import { orComplain } from "./open-or-complain.ts";

export interface TokenOptions {
  data?: string;
  rotate?: boolean;
}

export async function tokenCommand(options: TokenOptions): Promise<number> {
  const dataDir = dataFolder(options.data);
  const token = await orComplain(() => (options.rotate ? rotate(dataDir) : show(dataDir)));
  if (token === null) return FAILURE;
  if (token === "in use") return complain(`a Narratoria is using ${dataDir} with its token; end it first`);
  say(token);
  return 0;
}

function show(dataDir: string): string {
  makeDataFolder(dataDir);
  return keptToken(dataDir);
}

function rotate(dataDir: string): string {
  const lock = lockDataFolder(dataDir);
  if (lock === null) return "in use";
  try {
    // Worth nothing under another token; there is no reason to keep them either.
    createSignInFile(join(dataDir, DATA_FILES.signIns)).save([]);
    return newToken(dataDir);
  } finally {
    lock.release();
  }
}
