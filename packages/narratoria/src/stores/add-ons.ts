/**
 * The add-ons in a data folder, a folder each with a package.json of its own: whether one is there and whole, and opening
 * it. `install-add-on.ts` puts them there.
 */
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { ADD_ONS, type AddOn } from "./add-on-list.ts";
import { ADD_ON_FOLDER } from "./data-folder-check.ts";
import { readPrivateFile } from "./private-folder.ts";

export type AddOnState =
  | { kind: "absent" }
  | { kind: "ready"; bytes: number }
  /** `why` goes on after "it". Adding it again mends it. */
  | { kind: "broken"; why: string };

export type OpenedAddOn =
  | {
      kind: "opened";
      /** Imports one of its packages. */
      load(packageName: string): Promise<unknown>;
    }
  | { kind: "unavailable"; why: string };

/** What was installed: written last, so what has none was never finished. */
export const INSTALLED = "installed.json";
/** Imports from where it lies. */
export const LOADER = { name: "load.mjs", text: "export const load = (name) => import(name);\n" };

export function addOnFolder(dataDir: string, name: string): string {
  return join(dataDir, ADD_ON_FOLDER, name);
}

/** Where it is made, until it is whole. */
export function unfinishedFolder(dataDir: string, name: string): string {
  return `${addOnFolder(dataDir, name)}.new`;
}

export function findAddOn(name: string): AddOn | null {
  return ADD_ONS.find((each) => each.name === name) ?? null;
}

export function stateOfAddOn(addOn: AddOn, dataDir: string): AddOnState {
  const folder = addOnFolder(dataDir, addOn.name);
  if (!isThere(folder)) {
    return isThere(unfinishedFolder(dataDir, addOn.name))
      ? { kind: "broken", why: "was never installed to its end" }
      : { kind: "absent" };
  }
  const installed = readInstalled(folder);
  if (installed === null) return { kind: "broken", why: "was never installed to its end" };
  if (!isDeepStrictEqual(installed.packages, versionsOf(addOn)))
    return { kind: "broken", why: "is of another version" };
  const files = filesIn(folder);
  const damaged = Object.entries(installed.files).find(([file, bytes]) => files[file] !== bytes);
  if (damaged !== undefined) return { kind: "broken", why: `is damaged: ${damaged[0]} is not as it was installed` };
  return { kind: "ready", bytes: Object.values(files).reduce((sum, bytes) => sum + bytes, 0) };
}

/** Where the module lies that imports from it, as an address; null when it is not there or not whole. */
export function loaderOf(name: string, dataDir: string): string | null {
  const addOn = findAddOn(name);
  if (addOn === null || stateOfAddOn(addOn, dataDir).kind !== "ready") return null;
  return pathToFileURL(join(addOnFolder(dataDir, name), LOADER.name)).href;
}

export async function openAddOn(name: string, dataDir: string, addOn = findAddOn(name)): Promise<OpenedAddOn> {
  if (addOn === null) return { kind: "unavailable", why: `there is no add-on named ${name}` };
  const state = stateOfAddOn(addOn, dataDir);
  const cure = `narratoria add ${name}`;
  if (state.kind === "absent") return { kind: "unavailable", why: `${name} is not there: ${cure}` };
  if (state.kind === "broken") return { kind: "unavailable", why: `${name} ${state.why}: ${cure} mends it` };
  const loader = pathToFileURL(join(addOnFolder(dataDir, name), LOADER.name)).href;
  const { load } = (await import(loader)) as { load(packageName: string): Promise<unknown> };
  return { kind: "opened", load };
}

/** Whether there was something to remove. */
export function removeAddOn(name: string, dataDir: string): boolean {
  const folders = [addOnFolder(dataDir, name), unfinishedFolder(dataDir, name)].filter(isThere);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  return folders.length > 0;
}

export interface Installed {
  packages: Record<string, string>;
  /** Each with its size in bytes. */
  files: Record<string, number>;
}

function readInstalled(folder: string): Installed | null {
  try {
    return JSON.parse(readPrivateFile(join(folder, INSTALLED)) ?? "null") as Installed | null;
  } catch {
    return null;
  }
}

export function versionsOf({ packages }: AddOn): Record<string, string> {
  return Object.fromEntries(packages.map(({ name, version }) => [name, version]));
}

/** All but the list itself. */
export function filesIn(folder: string): Record<string, number> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  const sizes = paths.map((path) => [relative(folder, path), lstatSync(path).size] as const);
  return Object.fromEntries(sizes.filter(([path]) => path !== INSTALLED));
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
