/**
 * What a tool is made of, as far as it runs: its manifest, its command, every file of its own folder, and every code file
 * of its story, which it could import from there. `permissions.ts` ties grants to this; what changed asks again.
 *
 * Ink, art and text of the story do not count, nor what a link leads to outside of it (where it leads to does), nor the
 * system's interpreters.
 */
import { createHash, hash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readlinkSync,
  readSync,
  type Dirent,
  type Stats,
} from "node:fs";
import { delimiter, extname, isAbsolute, join, relative, sep } from "node:path";
import { MOUNT_FOLDERS } from "../mounts/mounts.ts";
import { isInside, realLocation } from "../mounts/real-location.ts";
import { statAt } from "../mounts/story-text.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

/** A digest for each part: `MANIFEST`, `COMMAND`, and files by their path, which begins with `./` or `/`. */
export interface ToolParts {
  readonly [part: string]: string;
}

export type ToolContent =
  | { kind: "content"; parts: ToolParts }
  /** `why` goes on after "it": "is made of more than 5000 files". */
  | { kind: "unknowable"; why: string };

export interface ToolContents {
  contentOf(storyDir: string, tool: ResolvedTool): ToolContent;
}

export const MANIFEST = "manifest";
export const COMMAND = "command";
export const CONTENT_LIMITS = { files: 5_000, bytes: 64 * 1024 * 1024, entries: 20_000, deep: 32 } as const;

/** `hidden`: folders no tool sees, wherever they lie. */
export function createToolContents(hidden: readonly string[] = [], limits: Limits = CONTENT_LIMITS): ToolContents {
  const digests = createFileDigests();
  return {
    contentOf: (storyDir, tool) => {
      const story = realLocation(storyDir);
      const taking = createTaking(story, new Set(hidden.map((folder) => realLocation(folder))), limits, digests);
      try {
        const own = ownFolderOf(story, tool);
        if (own !== null) taking.takeFolder(own, () => true);
        taking.takeFolder(story, isCode);
        filesOfCommand(tool.command).forEach(taking.takeFile);
      } catch (error) {
        if (error instanceof Unknowable) return { kind: "unknowable", why: error.message };
        throw error;
      }
      const { manifest, command, env = {}, needs, credentials } = tool;
      const said = [manifest, needs, env, ...(credentials === undefined ? [] : [credentials.authorization])];
      const spoken = { [MANIFEST]: digestOf(said), [COMMAND]: digestOf([command, tool.dir]) };
      return { kind: "content", parts: { ...spoken, ...taking.parts() } };
    },
  };
}

/** The names of the parts that differ, those that are gone or new among them. */
export function changedParts(before: ToolParts, now: ToolParts): string[] {
  const [old, current] = [new Map(Object.entries(before)), new Map(Object.entries(now))];
  return [...new Set([...old.keys(), ...current.keys()])].filter((part) => old.get(part) !== current.get(part));
}

interface Limits {
  readonly files: number;
  readonly bytes: number;
  /** What is looked at, taken or not. */
  readonly entries: number;
  readonly deep: number;
}

class Unknowable extends Error {}

interface Taking {
  takeFolder(folder: string, isWanted: (name: string) => boolean, deep?: number): void;
  takeFile(path: string): void;
  parts(): ToolParts;
}

function createTaking(story: string, hidden: ReadonlySet<string>, limits: Limits, digests: FileDigests): Taking {
  const parts = new Map<string, string>();
  let entries = 0;
  let bytes = 0;

  function takeFolder(folder: string, isWanted: (name: string) => boolean, deep = 0): void {
    if (deep > limits.deep) throw new Unknowable(`lies in folders more than ${limits.deep} deep`);
    for (const entry of namesIn(folder)) {
      if (++entries > limits.entries) throw new Unknowable(`has a story of more than ${limits.entries} files`);
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) {
        if (isWanted(entry.name)) takeFile(path);
      } else if (!hidden.has(path)) takeFolder(path, entry.name === ".git" ? isPlainlyCode : isWanted, deep + 1);
    }
  }

  function takeFile(path: string): void {
    const name = nameOf(path);
    if (parts.has(name)) return;
    if (parts.size >= limits.files) throw new Unknowable(`is made of more than ${limits.files} files`);
    const stat = lookAt(path);
    if (stat.isSymbolicLink()) return takeLink(path, name);
    if (!stat.isFile()) return void parts.set(name, "no file");
    bytes += stat.size;
    if (bytes > limits.bytes) throw new Unknowable(`is made of more than ${limits.bytes / 1024 / 1024} MiB`);
    parts.set(name, digests.digestOf(path, stat, name));
  }

  /** Where it leads counts; what is there only inside the story, beyond which no tool sees anything unasked. */
  function takeLink(path: string, name: string): void {
    const target = realLocation(path);
    parts.set(name, digestOf(["link", readlinkSync(path), target]));
    if (isInside(target, story) && statAt(target)?.isFile()) takeFile(target);
  }

  function nameOf(path: string): string {
    return isInside(path, story) ? `.${sep}${relative(story, path)}` : path;
  }
  return { takeFolder, takeFile, parts: () => Object.fromEntries(parts) };
}

/** The folder that is the tool's alone; null where it lies among others, in the story's own folder or in `tools/`. */
function ownFolderOf(story: string, { dir, manifest }: ResolvedTool): string | null {
  const folder = realLocation(dir);
  const isShared = isInside(story, folder) || MOUNT_FOLDERS.some((name) => join(story, name) === folder);
  return manifest === null || isShared ? null : folder;
}

const CODE = new Set(
  [
    ["", ".py", ".pyw", ".pyc", ".pyd", ".pyz", ".pth", ".whl", ".egg", ".so", ".dll", ".dylib", ".wasm", ".node"],
    [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"],
    [".sh", ".bash", ".pl", ".pm", ".rb", ".lua", ".php", ".r", ".jar", ".class", ".zip", ".exe"],
  ].flat(),
);

/** What git itself keeps changes with every commit, and has no extension. */
function isPlainlyCode(name: string): boolean {
  return extname(name) !== "" && isCode(name);
}

/** By its name: a file without an extension is a script as a rule. A `package.json` says which files are imported. */
function isCode(name: string): boolean {
  return CODE.has(extname(name).toLowerCase()) || name === "package.json" || /\.so\.[\d.]+$/.test(name);
}

/** Who interprets belongs to the system, and changes with it. */
const SYSTEMS_OWN = new Set(["python3", "sh", process.execPath]);

function filesOfCommand([program = "", ...args]: readonly string[]): string[] {
  const found = SYSTEMS_OWN.has(program) ? [] : [isAbsolute(program) ? program : onPath(program)];
  return [...found, ...args]
    .filter((file) => file !== null)
    .filter((file) => isAbsolute(file) && statAt(file)?.isFile())
    .map((file) => realLocation(file));
}

function onPath(program: string): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, program)).find((file) => statAt(file)?.isFile()) ?? null;
}

function* namesIn(folder: string): Generator<Dirent> {
  let opened;
  try {
    opened = opendirSync(folder);
  } catch {
    throw new Unknowable("has a folder that cannot be read");
  }
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
  } finally {
    opened.closeSync();
  }
}

function lookAt(path: string): Stats {
  try {
    return lstatSync(path);
  } catch {
    throw new Unknowable("changed while it was looked at, or cannot be looked at");
  }
}

interface FileDigests {
  digestOf(path: string, stat: Stats, name: string): string;
}

const MOST_REMEMBERED = 20_000;
/** Two changes within a tick of the file system's clock look like one: what is so fresh is read again. */
const FRESH_MS = 100;

/** Read once; again when its number, its size or one of its times is another. */
function createFileDigests(): FileDigests {
  const known = new Map<string, { stamp: string; digest: string }>();
  return {
    digestOf: (path, stat, name) => {
      const stamp = stampOf(stat);
      const before = known.get(path);
      if (before?.stamp === stamp) return before.digest;
      const digest = readDigest(path, stamp, name);
      const [oldest] = known.keys();
      if (known.size >= MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
      if (Date.now() - stat.ctimeMs > FRESH_MS) known.set(path, { stamp, digest });
      return digest;
    },
  };
}

function readDigest(path: string, stamp: string, name: string): string {
  let descriptor: number;
  try {
    // O_NONBLOCK: what was a file a moment ago may be a pipe now, and opening that would wait.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    throw new Unknowable(`has a file that cannot be read (${name})`);
  }
  try {
    const stat = fstatSync(descriptor);
    if (stampOf(stat) !== stamp) throw new Unknowable(`changed while it was looked at (${name})`);
    const digest = createHash("sha256");
    const buffer = Buffer.allocUnsafe(Math.min(1024 * 1024, stat.size + 1));
    // No further than it was long: a file that grows for ever is not read for ever.
    for (let left = stat.size, read = -1; left > 0 && read !== 0; left -= read) {
      read = readSync(descriptor, buffer, 0, Math.min(buffer.length, left), null);
      digest.update(buffer.subarray(0, read));
    }
    return digest.digest("base64url");
  } finally {
    closeSync(descriptor);
  }
}

function stampOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mode} ${mtimeMs} ${ctimeMs}`;
}

function digestOf(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "base64url");
}
