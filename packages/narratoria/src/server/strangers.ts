/**
 * Connections on which nobody has shown a key yet. A program of somebody else on this machine can open as many as it likes
 * and say nothing on them: where room gets scarce the one that has been silent longest goes, so that whoever has a key
 * gets in. `guard.ts` says who has.
 */
import type { Socket } from "node:net";

export interface Strangers {
  /** Somebody comes in, of whom nothing is known yet. */
  enter(socket: Socket): void;
  sendAwayOldest(): void;
}

const roomOf = new WeakMap<Socket, Set<Socket>>();

export function createStrangers(): Strangers {
  /** In the order in which they came. */
  const here = new Set<Socket>();
  return {
    enter: (socket) => {
      here.add(socket);
      roomOf.set(socket, here);
      socket.once("close", () => here.delete(socket));
    },
    sendAwayOldest: () => {
      const [oldest] = here;
      if (oldest !== undefined) here.delete(oldest);
      oldest?.destroy();
    },
  };
}

/** This one has shown a key. Undefined where the app has no connections of its own. */
export function isNoStranger(socket: Socket | undefined): void {
  if (socket !== undefined) roomOf.get(socket)?.delete(socket);
}
