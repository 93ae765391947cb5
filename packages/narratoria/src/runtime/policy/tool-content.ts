/**
 * What a tool is made of, as far as it runs: its manifest, its command, every file of its own folder, and every code file
 * of its story, or of the folder of tools that it comes from, which it could import from there. `permissions.ts` ties grants to this; what changed asks again.
 *
 * Ink, art and text of the story do not count, nor what a link leads to outside of it (where it leads to does) unless the
 * tool sees it there (`mounts/linked-modules.ts`), nor the system's interpreters. `file-digests.ts` reads the files.
 */
import { hash } from "node:crypto";
import { lstatSync, opendirSync, readlinkSync, type BigIntStats, type Dirent } from "node:fs";
import { basename, delimiter, extname, isAbsolute, join, relative, sep } from "node:path";
import { linkedModules } from "../mounts/linked-modules.ts";
import { MOUNT_FOLDERS } from "../mounts/mounts.ts";
import { isInside, realLocation } from "../mounts/real-location.ts";
import { statAt } from "../mounts/story-text.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { createFileDigests, Unknowable, type FileDigests } from "./file-digests.ts";

/** A digest for each part: `MANIFEST`, `COMMAND`, and files by their path, which begins with `./` or `/`. */
export interface ToolParts {
  readonly [part: string]: string;
}

export type ToolContent =
  | { kind: "content"; parts: ToolParts }
  /** `why` goes on after "it": "is made of more than 5000 files". */
  | { kind: "unknowable"; why: string };

export interface ToolContents {
  contentOf(storyDir: string, tool: ResolvedTool): Promise<ToolContent>;
}

export const MANIFEST = "manifest";
export const COMMAND = "command";
export const CONTENT_LIMITS = { files: 5_000, bytes: 64 * 1024 * 1024, entries: 20_000, deep: 32 } as const;

export interface ContentOptions {
  /** Folders no tool sees, wherever they lie. */
  hidden: readonly string[];
  limits: ContentLimits;
  /** Asked after each file: a promise asks to wait for it, so that others have their turn. */
  rest: () => Promise<void> | undefined;
  digests: FileDigests;
}

export function createToolContents(options: Partial<ContentOptions> = {}): ToolContents {
  const { hidden = [], limits = CONTENT_LIMITS, rest = () => undefined } = options;
  const digests = options.digests ?? createFileDigests(rest);
  return {
    contentOf: async (storyDir, tool) => {
      const story = realLocation(storyDir);
      const taking = createTaking(story, {
        hidden: hidden.map((folder) => realLocation(folder)),
        limits,
        rest,
        digests,
      });
      try {
        const own = ownFolderOf(story, tool);
        if (own !== null) await taking.takeFolder(own, () => true);
        for (const home of homesOf(story, tool)) await taking.takeFolder(home, isCode);
        const linked = await linkedModules({ ...tool, storyDir }, hidden);
        for (const { folder } of linked.folders) await taking.takeFolder(folder, isCode);
        for (const file of filesOfCommand(tool.command)) await taking.takeFile(file);
      } catch (error) {
        if (error instanceof Unknowable) return { kind: "unknowable", why: error.message };
        throw error;
      }
      const { manifest, command, env = {}, needs, credentials } = tool;
      const said = [manifest, needs, env, ...(credentials === undefined ? [] : [credentials.authorization])];
      const started = [command, tool.dir, ...(tool.imports ?? [])];
      const spoken = { [MANIFEST]: digestOf(said), [COMMAND]: digestOf(started) };
      return { kind: "content", parts: { ...spoken, ...taking.parts() } };
    },
  };
}

/** The names of the parts that differ, those that are gone or new among them. */
export function changedParts(before: ToolParts, now: ToolParts): string[] {
  const [old, current] = [new Map(Object.entries(before)), new Map(Object.entries(now))];
  return [...new Set([...old.keys(), ...current.keys()])].filter((part) => old.get(part) !== current.get(part));
}

interface ContentLimits {
  readonly files: number;
  readonly bytes: number;
  /** What is looked at, taken or not. */
  readonly entries: number;
  readonly deep: number;
}

interface Taking {
  takeFolder(folder: string, isWanted: (name: string) => boolean, deep?: number): Promise<void>;
  takeFile(path: string): Promise<void>;
  parts(): ToolParts;
}

function createTaking(story: string, { hidden, limits, rest, digests }: ContentOptions): Taking {
  const parts = new Map<string, string>();
  let entries = 0;
  let bytes = 0;

  async function takeFolder(folder: string, isWanted: (name: string) => boolean, deep = 0): Promise<void> {
    if (deep > limits.deep) throw new Unknowable(`lies in folders more than ${limits.deep} deep`);
    for (const entry of namesIn(folder)) {
      if (++entries > limits.entries) throw new Unknowable(`has a story of more than ${limits.entries} files`);
      const resting = rest();
      if (resting !== undefined) await resting;
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) {
        if (isWanted(entry.name) || isCodeAnyway(path, isWanted)) await takeFile(path);
      } else if (!hidden.includes(path))
        await takeFolder(path, entry.name === ".git" ? isPlainlyCode : isWanted, deep + 1);
    }
  }

  async function takeFile(path: string): Promise<void> {
    const name = nameOf(path);
    if (parts.has(name)) return;
    if (parts.size >= limits.files) throw new Unknowable(`is made of more than ${limits.files} files`);
    const stat = lookAt(path);
    if (stat.isSymbolicLink()) return takeLink(path, name);
    if (!stat.isFile()) return void parts.set(name, "no file");
    bytes += Number(stat.size);
    if (bytes > limits.bytes) throw new Unknowable(`is made of more than ${limits.bytes / 1024 / 1024} MiB`);
    parts.set(name, await digests.digestOf(path, stat, name));
  }

  /** Where it leads counts; what is there only inside the story, beyond which no tool sees anything unasked. */
  async function takeLink(path: string, name: string): Promise<void> {
    const target = realLocation(path);
    parts.set(name, digestOf(["link", readlinkSync(path), target]));
    if (isInside(target, story) && statAt(target)?.isFile()) await takeFile(target);
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

/** Where it may import from: the story, and for a tool of a folder that somebody allowed, that folder. */
function homesOf(story: string, { dir, readFolders }: ResolvedTool): Set<string> {
  const own = realLocation(dir);
  const allowed = readFolders.map((folder) => realLocation(folder)).filter((folder) => isInside(own, folder));
  return new Set([story, ...allowed]);
}

const CODE = new Set(
  [
    ["", ".py", ".pyw", ".pyc", ".pyo", ".pyd", ".pyz", ".pth", ".whl", ".egg", ".so", ".dll", ".dylib", ".wasm"],
    [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".node", ".vue", ".svelte", ".coffee"],
    [".sh", ".bash", ".zsh", ".fish", ".ksh", ".csh", ".bat", ".cmd", ".ps1", ".awk", ".sed", ".mk"],
    [".pl", ".pm", ".rb", ".lua", ".php", ".phar", ".tcl", ".r", ".jl", ".scm", ".rkt", ".lisp", ".el", ".clj"],
    [".c", ".h", ".go", ".rs", ".java", ".kt", ".kts", ".scala", ".groovy", ".ex", ".exs", ".erl", ".hs", ".ml"],
    [".jar", ".class", ".zip", ".exe", ".o", ".a"],
  ].flat(),
);
/** Which files are imported, by whom they are run, and with what: no code themselves. */
const SAYS_WHAT_RUNS = new Set([
  "package.json",
  "pyvenv.cfg",
  "deno.json",
  "deno.jsonc",
  "bunfig.toml",
  "tsconfig.json",
]);

/** What git itself keeps changes with every commit, and has no extension. */
function isPlainlyCode(name: string): boolean {
  return extname(name) !== "" && isCode(name);
}

/** By its name: a file without an extension is a script as a rule. */
function isCode(name: string): boolean {
  return CODE.has(extname(name).toLowerCase()) || SAYS_WHAT_RUNS.has(name) || /\.so\.[\d.]+$/.test(name);
}

/** Whatever its name is: what may be executed, and a link to a folder or to code. */
function isCodeAnyway(path: string, isWanted: (name: string) => boolean): boolean {
  const stat = lookAt(path);
  if (!stat.isSymbolicLink()) return stat.isFile() && (stat.mode & 0o111n) !== 0n;
  const target = realLocation(path);
  return statAt(target)?.isDirectory() === true || isWanted(basename(target));
}

/** Who interprets belongs to the system, and changes with it. */
const SYSTEMS_OWN = new Set(["python3", "sh", process.execPath]);

function filesOfCommand([program = "", ...args]: readonly string[]): string[] {
  const found = SYSTEMS_OWN.has(program) ? [] : [isAbsolute(program) ? program : onPath(program)];
  // `--require=/story/x.txt` names a file too.
  return [...found, ...args, ...args.map((argument) => argument.slice(argument.indexOf("=") + 1))]
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

function lookAt(path: string): BigIntStats {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    throw new Unknowable("changed while it was looked at, or cannot be looked at");
  }
}

function digestOf(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "base64url");
}
