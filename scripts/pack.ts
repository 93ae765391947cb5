/**
 * Builds the folder of `@narratoria/tool` that goes to the registry: `node scripts/pack.ts [FOLDER]`, by default
 * `dist/tool`. In the repository the package is TypeScript run from source; Node strips no types inside
 * `node_modules`, so what people install is JavaScript with declarations.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCE = join(ROOT, "packages/tool");

packTool(resolve(process.argv[2] ?? join(ROOT, "dist/tool")));

function packTool(folder: string): void {
  const manifest = JSON.parse(readFileSync(join(SOURCE, "package.json"), "utf8")) as {
    exports: Record<string, string>;
    [field: string]: unknown;
  };
  // Only what this script writes: the folder may be one the caller made.
  for (const old of ["lib", "package.json", "LICENSE", "README.md"]) {
    rmSync(join(folder, old), { recursive: true, force: true });
  }
  mkdirSync(folder, { recursive: true });
  compile(Object.values(manifest.exports), join(folder, "lib"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "README.md"), readme(String(manifest["description"])));
}

function compile(entries: string[], outDir: string): void {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const settings = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8")) as { compilerOptions: object };
  const project = join(outDir, "tsconfig.json");
  const compilerOptions = {
    ...settings.compilerOptions,
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: join(SOURCE, "src"),
    outDir,
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  mkdirSync(outDir, { recursive: true });
  const files = entries.map((entry) => join(SOURCE, entry));
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  const run = spawnSync(process.execPath, [tsc, "--project", project], { encoding: "utf8" });
  rmSync(project);
  if (run.status !== 0) throw new Error(`tsc failed:\n${run.stdout}${run.stderr}`);
}

function publishedManifest(manifest: { exports: Record<string, string> }): object {
  const exports: Record<string, { types: string; default: string }> = {};
  for (const [name, source] of Object.entries(manifest.exports)) {
    const base = source.replace("./src/", "./lib/").replace(/\.ts$/, "");
    exports[name] = { types: `${base}.d.ts`, default: `${base}.js` };
  }
  return { ...manifest, exports, files: ["lib"], sideEffects: false };
}

/** The README's own TypeScript tool is the example. */
function readme(description: string): string {
  const example = /```ts\n[\s\S]*?^```$/m.exec(readFileSync(join(ROOT, "README.md"), "utf8"))?.[0] ?? "";
  return `# @narratoria/tool\n\n${description}\n\n${example}\n`;
}
