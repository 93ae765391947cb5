/**
 * Connections on which nobody has shown a key yet. A program of somebody else on this machine can open as many as it likes
 * and say nothing on them: where room gets scarce those go that have been silent longest, so that whoever has a key gets
 * in. `guard.ts` says who has.
 */
import type { Socket } from "node:net";

export interface Strangers {
  /** Somebody comes in, of whom nothing is known yet. */
  enter(socket: Socket): void;
  /** The one that has been here longest; who has just come may be about to say who they are. */
  sendAwayOldest(): void;
}

/** Whoever has something to say has said it by then. */
const PATIENCE_MS = 1_000;

const roomOf = new WeakMap<Socket, Map<Socket, number>>();

export function createStrangers(now: () => number = () => performance.now()): Strangers {
  /** Since when, in the order in which they came. */
  const here = new Map<Socket, number>();
  return {
    enter: (socket) => {
      here.set(socket, now());
      roomOf.set(socket, here);
      socket.once("close", () => here.delete(socket));
    },
    sendAwayOldest: () => {
      const [oldest] = here;
      if (oldest === undefined || now() - oldest[1] < PATIENCE_MS) return;
      here.delete(oldest[0]);
      oldest[0].destroy();
    },
  };
}

/** This one has shown a key. Undefined where the app has no connections of its own. */
export function isNoStranger(socket: Socket | undefined): void {
  if (socket !== undefined) roomOf.get(socket)?.delete(socket);
}
