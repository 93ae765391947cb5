/** Where the packages come from, and what their manifests say. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

export interface Manifest {
  name: string;
  version: string;
  description: string;
  /** In the repository each entry is a source. */
  exports: Record<string, string>;
  dependencies?: Record<string, string>;
  [field: string]: unknown;
}

export interface Entry {
  /** As `exports` has it: `./story`. */
  key: string;
  /** Of its files in `lib/`, without an ending. */
  name: string;
  source: string;
}

export function readManifest(packageFolder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, packageFolder, "package.json"), "utf8")) as Manifest;
}

export function entriesOf({ exports }: Manifest, packageFolder: string): Entry[] {
  const modules = Object.entries(exports).filter(([, source]) => source.endsWith(".ts"));
  return modules.map(([key, source]) => {
    const name = key === "." ? "index" : key.slice(2).replaceAll("/", "-");
    return { key, name, source: join(ROOT, packageFolder, source) };
  });
}

/** What `exports` says in the published package. */
export function publishedExports({ exports }: Manifest, entries: readonly Entry[]): object {
  const published: Record<string, string | { types: string; default: string }> = { ...exports };
  for (const { key, name } of entries) published[key] = { types: `./lib/${name}.d.ts`, default: `./lib/${name}.js` };
  return published;
}

export function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
