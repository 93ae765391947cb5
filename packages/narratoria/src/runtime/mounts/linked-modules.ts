/**
 * What a tool's own `node_modules` links to outside its story, as `ln -s`, `npm link`, workspaces and pnpm make such links:
 * a tool may import it, so the sandbox shows it, and `policy/tool-content.ts` counts it as a part of the tool.
 *
 * A stranger's story can hold any link. So only two things are ever shown: a folder that is itself called
 * `node_modules`, and the folder of a package by its own name; and neither where somebody lives or keeps keys.
 */
import { lstatSync, opendirSync, readFileSync, readlinkSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isJsonObject, readJson } from "@narratoria/tool/json";
import { identityOf } from "./find-place.ts";
import { isInside, realLocation } from "./real-location.ts";
import { findStoryFolderRisk } from "./story-folder-risk.ts";

export interface LinkedModules {
  /** What is shown. */
  folders: readonly ShownFolder[];
  /** What leads there. */
  links: readonly ShownLink[];
}

export interface ShownFolder {
  folder: string;
  /** Which folder it was when it was looked at. */
  identity: string;
  /** Of a package that is somebody's work, what begins with a dot (`.env`, `.git`) is not for tools. */
  covered: readonly { path: string; isFolder: boolean }[];
}

export interface ShownLink {
  link: string;
  /** The next place on the way: the target itself, unless there are further links. */
  says: string;
  target: string;
}

interface ProgramPlaces {
  command: readonly string[];
  storyDir: string;
  readFolders: readonly string[];
}

const MODULES = "node_modules";
const MOST_SHOWN = 256;
const MOST_LOOKS = 20_000;
const SLICE_MS = 4;
const MOST_MANIFEST_BYTES = 256 * 1024;

/** `hidden`: folders that no tool sees. In slices: a story may hold as many links as it likes, and others wait meanwhile. */
export async function linkedModules(program: ProgramPlaces, hidden: readonly string[]): Promise<LinkedModules> {
  const roots = [program.storyDir, ...program.readFolders].map((folder) => realLocation(folder));
  const away = hidden.map((folder) => realLocation(folder));
  const shown = new Map<string, ShownFolder>();
  const links: ShownLink[] = [];
  /** Folders to look through, each once; a list, since a story can nest them deeper than calls go. */
  const pending = new Map<string, string>();
  let looks = 0;
  let sliceBegan = performance.now();

  for (const folder of foldersAbove(program.command, roots)) enter(join(folder, MODULES));
  // What is found on the way is added behind.
  for (const [folder, scope] of pending) await lookThrough(folder, scope);
  return { folders: [...shown.values()], links };

  function enter(modules: string): void {
    const stat = lstatSync(modules, { throwIfNoEntry: false });
    if (stat === undefined) return;
    const folder = realLocation(modules);
    const isModules = (): boolean => basename(folder) === MODULES;
    if (stat.isSymbolicLink() && !leads(modules, folder, () => isModules() && show(folder, []))) return;
    remember(folder, "");
  }

  function remember(folder: string, scope: string): void {
    if (!pending.has(folder)) pending.set(folder, scope);
  }

  async function lookThrough(folder: string, scope: string): Promise<void> {
    for (const entry of entriesOf(folder)) {
      if (++looks > MOST_LOOKS) return;
      if (performance.now() - sliceBegan > SLICE_MS) {
        await setImmediate();
        sliceBegan = performance.now();
      }
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) follow(path, scope + entry.name);
      else if (scope === "" && entry.name.startsWith("@") && entry.isDirectory()) remember(path, `${entry.name}/`);
    }
  }

  function follow(link: string, name: string): void {
    const target = realLocation(link);
    // A package needs those beside it: pnpm keeps them together, below one `node_modules`.
    const store = outermostModules(target);
    const showIt = (): boolean => (store === null ? show(target, dotNamesIn(target)) : show(store, []));
    if (!leads(link, target, () => packageNameIn(target) === name && showIt())) return;
    if (store === null) enter(join(target, MODULES));
    else remember(dirname(target), "");
  }

  /** Whether a link leads to what the tool sees anyway, or may be shown. */
  function leads(link: string, target: string, showIt: () => boolean): boolean {
    if (isInsideOne(target, roots)) return true;
    if (!isInsideOne(target, [...shown.keys()]) && !showIt()) return false;
    links.push({ link, says: resolve(dirname(link), readlinkSync(link)), target });
    return true;
  }

  function show(folder: string, covered: ShownFolder["covered"]): boolean {
    const stat = statSync(folder, { bigint: true, throwIfNoEntry: false });
    if (stat?.isDirectory() !== true || isInsideOne(folder, away) || findStoryFolderRisk(folder) !== null) return false;
    if (shown.size < MOST_SHOWN) shown.set(folder, { folder, identity: identityOf(stat), covered });
    return shown.has(folder);
  }
}

/** Where Node looks for packages, from the program's own files up to the folder that the tool may read. */
function foldersAbove(command: readonly string[], roots: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const file of command.filter((word) => word.startsWith(sep)).map((word) => realLocation(word))) {
    for (const root of roots.filter((folder) => file !== folder && isInside(file, folder))) {
      for (let at = dirname(file); at !== root; at = dirname(at)) folders.add(at);
      folders.add(root);
    }
  }
  return folders;
}

function isInsideOne(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(path, folder));
}

function outermostModules(folder: string): string | null {
  const names = folder.split(sep);
  const at = names.indexOf(MODULES);
  return at === -1 ? null : names.slice(0, at + 1).join(sep);
}

function packageNameIn(folder: string): unknown {
  try {
    const file = join(folder, "package.json");
    const stat = lstatSync(file);
    if (!stat.isFile() || stat.size > MOST_MANIFEST_BYTES) return null;
    const reading = readJson(readFileSync(file, "utf8"));
    return reading.kind === "value" && isJsonObject(reading.value) ? reading.value["name"] : null;
  } catch {
    return null;
  }
}

function dotNamesIn(folder: string): ShownFolder["covered"] {
  return Array.from(entriesOf(folder))
    .filter((entry) => entry.name.startsWith(".") && (entry.isFile() || entry.isDirectory()))
    .map((entry) => ({ path: join(folder, entry.name), isFolder: entry.isDirectory() }));
}

/** None where we cannot look. */
function* entriesOf(folder: string): Generator<Dirent> {
  let opened;
  try {
    opened = opendirSync(folder);
  } catch {
    return;
  }
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
  } finally {
    opened.closeSync();
  }
}
