/**
 * Finishes what was begun: sessions that are being deleted, and halves that a host has left which died in the middle of
 * deleting or taking in. In slices, so that nobody waits for it.
 */
import { inSlices } from "../execution/slices.ts";
import { diskTroubleIn } from "../seams/disk-trouble.ts";
import type { Store, Sweep } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import { purgeTurns } from "./purge-turns.ts";

export interface Removals {
  /** Of a session whose removal was begun. */
  finish(sessionId: string, isPurge: boolean): Promise<void>;
  /** Whatever is left half done. */
  finishAll(): Promise<void>;
}

export function createRemovals(store: Store, ancestry: Ancestry, newId: () => string, sweep: Sweep): Removals {
  const working = new Map<string, Promise<void>>();

  /** One after the other for each session: a fork that goes may leave its hidden parent with less to keep. */
  function finish(sessionId: string, isPurge: boolean): Promise<void> {
    const before = working.get(sessionId) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(() => run(sessionId, isPurge));
    working.set(sessionId, mine);
    const forget = (): void => void (working.get(sessionId) === mine && working.delete(sessionId));
    return mine.finally(forget);
  }

  async function run(sessionId: string, isPurge: boolean): Promise<void> {
    if (isPurge) await purge(sessionId);
    const parent = await inSlices(store.finishRemoval(sessionId, sweep));
    if (parent !== null) await finish(parent, false);
  }

  async function purge(sessionId: string): Promise<void> {
    const session = store.session(sessionId);
    const forkTurns = store.forkTurnsOf(sessionId);
    if (session === null || forkTurns.length === 0) return;
    const { firsts, replacements } = await inSlices(purgeTurns(store, ancestry, newId, session, forkTurns));
    store.replaceTurns(sessionId, firsts, replacements);
    ancestry.forget();
  }

  async function finishAll(): Promise<void> {
    for (const { sessionId, isPurge } of store.unfinished()) {
      try {
        await finish(sessionId, isPurge);
      } catch (error) {
        // A full disk, damage, or the end of this host: the next one tries again.
        if (diskTroubleIn(error) === null && (error as NodeJS.ErrnoException).code !== "ERR_INVALID_STATE") throw error;
      }
    }
  }
  return { finish, finishAll };
}
