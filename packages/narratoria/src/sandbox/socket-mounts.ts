/**
 * Sockets that lie in what a tool may read. A read-only mount does not keep anybody from talking to who listens there
 * (an agent with keys, a container service), so each is covered. One made later is not: `docs/sandbox.md` says so.
 */
import { lstatSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isInside } from "../runtime/mounts/real-location.ts";
import type { Mount } from "./bubblewrap-arguments.ts";

/** `visible`: places in the tool's world and where they lie in ours. */
export function socketMounts(visible: readonly (readonly [place: string, source: string])[]): Mount[] {
  if (visible.length === 0) return [];
  const mounts: Mount[] = [];
  for (const socket of new Set(boundSockets())) {
    for (const [place, source] of visible) {
      if (!isInside(socket, source) || lstatSync(socket, { throwIfNoEntry: false })?.isSocket() !== true) continue;
      mounts.push({ place: join(place, relative(source, socket)), how: "--ro-bind", source: "/dev/null" });
    }
  }
  return mounts;
}

/** The files of all sockets that somebody has bound, as the kernel knows them. */
function boundSockets(): string[] {
  const list = readFileSync("/proc/net/unix", "utf8");
  return [...list.matchAll(/ (\/.+)$/gm)].map(([, path = ""]) => path);
}
