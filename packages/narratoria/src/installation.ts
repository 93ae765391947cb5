/**
 * Where Narratoria's own files lie. In a clone they are spread over the repository; in a published package, which
 * `scripts/release/` makes, everything lies in one folder and all code in its `lib/`, flat.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Published, this file is a part of some JavaScript in `lib/`. */
const IS_CLONE = import.meta.url.endsWith(".ts");
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const ROOT = IS_CLONE ? join(PACKAGE, "../..") : PACKAGE;
const load = createRequire(import.meta.url);

export const STORIES = join(ROOT, "stories");
export const TOOLS = join(ROOT, "tools");

/** What tools are written with. `sandbox/provided-sdks.ts` lets every tool find it. */
export const SDKS = {
  node: dirname(dirname(load.resolve("@narratoria/tool"))),
  python: join(ROOT, "sdks/python"),
};

/** In a clone the web is built from its sources when they have changed; a published package brings it along. */
export async function webFolder(): Promise<string> {
  if (!IS_CLONE) return join(PACKAGE, "web");
  const builder = join(PACKAGE, "web/build.ts");
  if (!existsSync(builder)) return join(PACKAGE, "web/dist");
  const { buildWeb } = (await import(builder)) as { buildWeb(): Promise<string> };
  return buildWeb();
}

/** A module of ours for another process to load: named from `src/` on, without its ending. */
export function ownModule(name: string): URL {
  return new URL(IS_CLONE ? `${name}.ts` : `${basename(name)}.js`, import.meta.url);
}

/** A module of ours that is slow to load, here and now: only for what few stories need. */
export function loadOwnModule(name: string): unknown {
  return load(fileURLToPath(ownModule(name)));
}

/** Another file among our modules. */
export function ownFile(name: string): string {
  return fileURLToPath(new URL(IS_CLONE ? name : basename(name), import.meta.url));
}
