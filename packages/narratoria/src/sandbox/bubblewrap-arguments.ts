/** How bubblewrap is told what a tool finds in its world: namespaces, and what is mounted where. */
import { lstatSync, readlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isInside } from "../runtime/mounts/real-location.ts";
import { mayUseNetwork } from "./granted.ts";

export interface Mount {
  /** Where the tool sees it. */
  place: string;
  how: "--bind" | "--ro-bind" | "--ro-bind-try" | "--symlink" | "--proc" | "--dev" | "--tmpfs";
  /** Where it lies for us, or what a link says; a `--proc`, `--dev` or `--tmpfs` comes from nowhere. */
  source?: string;
}

export function namespaceArguments(grants: readonly string[]): string[] {
  if (!mayUseNetwork(grants)) return NAMESPACES;
  return [...NAMESPACES, "--share-net", ...NETWORK_FILES.flatMap((file) => ["--ro-bind-try", file, file])];
}

/** Without further user namespaces (`--disable-userns`) a large part of the kernel is out of reach. */
const NAMESPACES = [
  "--unshare-all",
  "--unshare-user",
  "--disable-userns",
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
  "--hostname",
  "narratoria",
];

/** Links into /usr on most systems, folders of their own on some. */
const SYSTEM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib64", "/lib32"];
const SYSTEM_FILES = ["/etc/alternatives", "/etc/localtime"];
/** Small enough to be copied in, from a descriptor each: that is quicker than a mount. */
export const COPIED_FILES = ["/etc/ld.so.cache", "/etc/passwd", "/etc/group"];
const NETWORK_FILES = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/ca-certificates"];

export function systemMounts(): readonly Mount[] {
  return (theSystem ??= findSystem());
}
let theSystem: readonly Mount[] | undefined;

function findSystem(): Mount[] {
  return [
    { place: "/usr", how: "--ro-bind", source: "/usr" },
    ...[...SYSTEM_FOLDERS, ...SYSTEM_FILES].map(asItIs),
    { place: "/proc", how: "--proc" },
    // bubblewrap's init: who could write to its memory could make it outlive us.
    { place: "/proc/1", how: "--tmpfs" },
    { place: "/dev", how: "--dev" },
  ];
}

/** A link into /usr is there a link too: for a mount bubblewrap needs a tenth of a millisecond. */
function asItIs(place: string): Mount {
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    const target = readlinkSync(place);
    if (isInside(resolve(dirname(place), target), "/usr")) return { place, how: "--symlink", source: target };
  }
  return { place, how: "--ro-bind-try", source: place };
}

/**
 * The outer places first: mounted later, they would hide the inner ones. What holds no files of anybody (the root,
 * /dev) becomes read-only at the end, when every mount has found its place in it: it is a tmpfs, and so memory.
 */
export function toArguments(mounts: readonly Mount[]): string[] {
  const sorted = mounts.toSorted((a, b) => a.place.length - b.place.length);
  const inMemory = sorted.filter(({ how }) => how === "--tmpfs" || how === "--dev").map(({ place }) => place);
  return [
    ...sorted.flatMap(({ how, source, place }) => (source === undefined ? [how, place] : [how, source, place])),
    ...[...inMemory, "/"].flatMap((place) => ["--remount-ro", place]),
  ];
}
