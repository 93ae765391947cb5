/** Where every part of the session service begins: what is stored, what is open in this host, and the only way to write. */
import type { Store } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { SessionLog } from "./session-log.ts";

export interface SessionDesk {
  readonly store: Store;
  readonly ancestry: Ancestry;
  readonly open: OpenSessions;
  readonly log: SessionLog;
}
