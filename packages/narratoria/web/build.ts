/**
 * Builds the web for the server, which serves the folder that comes back. The folder is named after everything that
 * went in, so a second start finds it made, and hosts that start at once never see each other's half.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { OUTPUT_FOLDER, viteOptions, WEB_FOLDER } from "./vite-options.ts";

const NARRATORIA_FOLDER = path.dirname(WEB_FOLDER);
/** Another host may still serve from an older build. */
const KEEP_OLD_BUILDS_MS = 24 * 60 * 60 * 1000;

/** The folder with the built web. */
export async function buildWeb(say: (line: string) => void = () => undefined): Promise<string> {
  const folder = path.join(OUTPUT_FOLDER, stampOfSources());
  if (existsSync(folder)) return folder;
  const startedAt = performance.now();
  removeOldBuilds();
  // Vite takes a third of a second to load: only where there is something to build.
  const { build } = await import("vite");
  const unfinished = `${folder}.${process.pid}`;
  await asProduction(() => build({ ...viteOptions, build: { ...viteOptions.build, outDir: unfinished } }));
  finish(unfinished, folder);
  say(`Built the web in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
  return folder;
}

/** Vite goes by this variable; a host started by a test has it set to "test" and would get React's slow, large build. */
async function asProduction(run: () => Promise<unknown>): Promise<void> {
  const before = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    await run();
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = before;
  }
}

function finish(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another host was quicker with the same.
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true });
  }
}

function removeOldBuilds(): void {
  if (!existsSync(OUTPUT_FOLDER)) return;
  for (const name of readdirSync(OUTPUT_FOLDER)) {
    const old = path.join(OUTPUT_FOLDER, name);
    if (Date.now() - statSync(old).mtimeMs > KEEP_OLD_BUILDS_MS) rmSync(old, { recursive: true });
  }
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
  return hash.digest("hex").slice(0, 16);
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
