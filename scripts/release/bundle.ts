/**
 * Bundles the code of `narratoria` into one flat folder: the entries, what other processes load, and what they share.
 * `src/installation.ts` is the other side: it finds these files when the package runs.
 */
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "rolldown";
import type { Entry } from "./repository.ts";
import { bundledPackages } from "./third-party.ts";

/** Loaded by `bin/narratoria.js`. */
export const COMMAND_MODULES = ["cli/compile-cache", "cli/main"];

/** Gives back the packages whose code went in. */
export async function bundle(
  sources: string,
  entries: readonly Entry[],
  external: readonly string[],
  outDir: string,
): Promise<Set<string>> {
  const own = namedOwnFiles(sources);
  const modules = [...COMMAND_MODULES, ...own.modules];
  const { output } = await build({
    input: {
      ...Object.fromEntries(entries.map(({ name, source }) => [name, source])),
      ...Object.fromEntries(modules.map((name) => [basename(name), join(sources, `${name}.ts`)])),
    },
    platform: "node",
    transform: { target: "node22.18" },
    external: external.map((name) => new RegExp(`^${name}(/|$)`)),
    logLevel: "warn",
    onLog: (level, log) => {
      throw new Error(`${level}: ${log.message}`);
    },
    output: { dir: outDir, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
  });
  for (const file of own.files) copyFileSync(join(sources, file), join(outDir, basename(file)));
  return bundledPackages(output);
}

/** What the code asks `installation.ts` for by name. */
function namedOwnFiles(sources: string): { modules: string[]; files: string[] } {
  const modules = new Set<string>();
  const files = new Set<string>();
  for (const file of readdirSync(sources, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const text = readFileSync(join(sources, file), "utf8");
    for (const [, name = ""] of text.matchAll(/wnModule\("([^"]+)"\)/g)) modules.add(name);
    for (const [, name = ""] of text.matchAll(/ownFile\("([^"]+)"\)/g)) files.add(name);
  }
  return { modules: [...modules].toSorted(), files: [...files].toSorted() };
}
