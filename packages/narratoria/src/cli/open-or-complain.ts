/** Opens sessions for a command, or says in a line why that cannot be. */
import { DataFolderInUse, openSessions, openSessionsReadOnly, type SessionsOptions } from "../create-narratoria.ts";
import type { SessionService } from "../runtime/seams/session-service.ts";
import { StoreError } from "../stores/sqlite.ts";

export function openOrComplain(options: SessionsOptions): Promise<SessionService | null> {
  return orComplain(() => openSessions(options));
}

/** Works beside a running host; whatever would change something is refused by the store. */
export function openToRead(dataDir: string): Promise<SessionService | null> {
  return orComplain(() => openSessionsReadOnly(dataDir));
}

async function orComplain(open: () => Promise<SessionService>): Promise<SessionService | null> {
  try {
    return await open();
  } catch (error) {
    const isExpected = error instanceof DataFolderInUse || error instanceof StoreError || isFileError(error);
    if (!isExpected) throw error;
    process.stderr.write(`narratoria: ${(error as Error).message}\n`);
    return null;
  }
}

/** A data folder that cannot be made or written. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
