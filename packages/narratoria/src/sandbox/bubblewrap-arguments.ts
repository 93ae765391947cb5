/** How bubblewrap is told what a tool finds in its world: namespaces, and what is mounted where. */
import { mayUseNetwork } from "./granted.ts";

export interface Mount {
  /** Where the tool sees it. */
  place: string;
  how: "--bind" | "--ro-bind" | "--ro-bind-try" | "--proc" | "--dev" | "--tmpfs";
  /** Where it lies for us; a `--proc`, `--dev` or `--tmpfs` comes from nowhere. */
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

/** Links to /usr on most systems, folders of their own on some. */
const SYSTEM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib64", "/lib32"];
const SYSTEM_FILES = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/passwd", "/etc/group"];
const NETWORK_FILES = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/ca-certificates"];

export function systemMounts(): Mount[] {
  return [
    { place: "/usr", how: "--ro-bind", source: "/usr" },
    ...[...SYSTEM_FOLDERS, ...SYSTEM_FILES].map((file): Mount => ({ place: file, how: "--ro-bind-try", source: file })),
    { place: "/proc", how: "--proc" },
    // bubblewrap's init: who could write to its memory could make it outlive us.
    { place: "/proc/1", how: "--tmpfs" },
    { place: "/dev", how: "--dev" },
  ];
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
