/**
 * Builds the web into `dist/` for the server, which serves that folder. A stamp over everything that goes in says
 * whether the last build is still the right one, so a second start costs milliseconds.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { OUTPUT_FOLDER, viteOptions, WEB_FOLDER } from "./vite-options.ts";

const NARRATORIA_FOLDER = path.dirname(WEB_FOLDER);
const STAMP_FILE = path.join(OUTPUT_FOLDER, ".stamp");

/** The folder with the built web. */
export async function buildWeb(say: (line: string) => void = () => undefined): Promise<string> {
  // A published package brings its build and no sources.
  if (!existsSync(path.join(WEB_FOLDER, "src"))) return OUTPUT_FOLDER;
  const stamp = stampOfSources();
  if (existsSync(STAMP_FILE) && readFileSync(STAMP_FILE, "utf8") === stamp) return OUTPUT_FOLDER;
  const startedAt = performance.now();
  // Vite takes a third of a second to load: only where there is something to build.
  const { build } = await import("vite");
  await build(viteOptions);
  writeFileSync(STAMP_FILE, stamp);
  say(`Built the web in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
  return OUTPUT_FOLDER;
}

/** What goes into the page: its own sources, the story code it shares with the server, and the packages' versions. */
function stampOfSources(): string {
  const hash = createHash("sha256");
  const shared = [path.join(NARRATORIA_FOLDER, "src/story"), path.resolve(NARRATORIA_FOLDER, "../tool/src")];
  for (const folder of [path.join(WEB_FOLDER, "src"), path.join(WEB_FOLDER, "public"), ...shared]) {
    for (const file of filesOf(folder)) hash.update(`\0${file}\0`).update(readFileSync(path.join(folder, file)));
  }
  for (const file of ["web/index.html", "web/vite-options.ts", "package.json"]) {
    hash.update(readFileSync(path.join(NARRATORIA_FOLDER, file)));
  }
  return hash.digest("hex");
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
