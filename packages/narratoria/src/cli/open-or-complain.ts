/** Opens what a command needs, or says in a line why that cannot be. */
import {
  createNarratoria,
  DataFolderInUse,
  type Host,
  type Narratoria,
  type NarratoriaOptions,
  openSessions,
  openSessionsReadOnly,
  type SessionsOptions,
} from "../create-narratoria.ts";
import { diskTroubleIn } from "../runtime/seams/disk-trouble.ts";
import type { SessionService } from "../runtime/seams/session-service.ts";
import { StoreError } from "../stores/open-database.ts";
import { complain } from "./say.ts";

export function openOrComplain(options: SessionsOptions): Promise<Host | null> {
  return orComplain(() => openSessions(options));
}

/** Works beside a running host; whatever would change something is refused by the store. */
export function openToRead(dataDir: string): Promise<SessionService | null> {
  return orComplain(() => openSessionsReadOnly(dataDir));
}

/** For running tools without sessions. */
export function openToRun(options: NarratoriaOptions): Promise<Narratoria | null> {
  return orComplain(() => createNarratoria(options));
}

/** Null when it could not be, and was said so. */
export async function orComplain<T>(open: () => T | Promise<T>): Promise<T | null> {
  try {
    return await open();
  } catch (error) {
    const isExpected = error instanceof DataFolderInUse || error instanceof StoreError || isFileError(error);
    if (!isExpected) throw error;
    complain(diskTroubleIn(error)?.message ?? (error as Error).message);
    return null;
  }
}

/** A data folder that cannot be made or written. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
