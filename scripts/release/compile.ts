/** Has the TypeScript compiler write JavaScript and declarations, or declarations alone. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ROOT } from "./repository.ts";

export function compile(
  files: readonly string[],
  options: { outDir: string; rootDir: string; declaration?: boolean; emitDeclarationOnly?: boolean },
): void {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const settings = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8")) as { compilerOptions: object };
  const project = join(options.outDir, "tsconfig.json");
  const compilerOptions = {
    ...settings.compilerOptions,
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    typeRoots: [join(ROOT, "node_modules/@types")],
    ...options,
  };
  mkdirSync(options.outDir, { recursive: true });
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  const run = spawnSync(process.execPath, [tsc, "--project", project], { encoding: "utf8" });
  rmSync(project);
  if (run.status !== 0) throw new Error(`tsc failed:\n${run.stdout}${run.stderr}`);
  for (const file of readdirSync(options.outDir, { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".d.ts")) nameJavaScript(join(options.outDir, file));
  }
}

/** The compiler rewrites the imports of JavaScript, and leaves those of declarations as they are. */
function nameJavaScript(declarations: string): void {
  const text = readFileSync(declarations, "utf8");
  writeFileSync(declarations, text.replaceAll(/((?:from|import)\s*\(?")(\.[^"]*)\.ts"/g, '$1$2.js"'));
}
