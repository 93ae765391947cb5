/** What `@narratoria/tool` is made of: its modules as they are, without types, and declarations. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "./compile.ts";
import { writeDeclarations } from "./declarations.ts";
import { entriesOf, publishedExports, readManifest, ROOT, writeJson } from "./repository.ts";

const PACKAGE = "packages/tool";
/** Narratoria starts tools with it. */
const PROVIDE = "provide.cjs";

export function packTool(folder: string, reports: string): void {
  const manifest = readManifest(PACKAGE);
  const entries = entriesOf(manifest, PACKAGE);
  mkdirSync(folder, { recursive: true });
  const lib = join(folder, "lib");
  const sources = join(ROOT, PACKAGE, "src");
  compile(
    entries.map(({ source }) => source),
    { outDir: lib, rootDir: sources, declaration: false },
  );
  writeDeclarations(manifest, entries, sources, { types: lib, reports });
  const published = {
    ...manifest,
    exports: publishedExports(manifest, entries),
    files: ["lib", PROVIDE],
    sideEffects: false,
  };
  writeJson(join(folder, "package.json"), published);
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(join(ROOT, PACKAGE, PROVIDE), join(folder, PROVIDE));
  writeFileSync(join(folder, "README.md"), readme(manifest.description));
}

/** The README's own TypeScript tool is the example. */
function readme(description: string): string {
  const example = /```ts\n[\s\S]*?^```$/m.exec(readFileSync(join(ROOT, "README.md"), "utf8"))?.[0] ?? "";
  return `# @narratoria/tool\n\n${description}\n\n${example}\n`;
}
