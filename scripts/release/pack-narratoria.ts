/**
 * What `narratoria` is made of: the bundled code, the built web, and whatever stories, tools and authors need of the
 * repository. Everything lies where `src/installation.ts` looks for it.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { build } from "vite";
import { viteOptions } from "../../packages/narratoria/web/vite-options.ts";
import { bundle, COMMAND_MODULES } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import { entriesOf, publishedExports, readManifest, ROOT, writeJson, type Entry, type Manifest } from "./repository.ts";
import { bundledPackages, thirdPartyLicences } from "./third-party.ts";

const PACKAGE = "packages/narratoria";
/** Not bundled: their types are part of ours, and tools import the first. */
const EXTERNAL = ["@narratoria/tool", "hono", "zod"];
/** Copied as they are. */
const PARTS = ["stories", "tools", "sdks", "contracts", "LICENSE", "README.md", "CHANGELOG.md"];

export async function packNarratoria(folder: string, reports: string): Promise<void> {
  const manifest = readManifest(PACKAGE);
  const entries = entriesOf(manifest, PACKAGE);
  const sources = join(ROOT, PACKAGE, "src");
  mkdirSync(folder, { recursive: true });
  const inCode = await bundle(sources, entries, EXTERNAL, join(folder, "lib"));
  const inWeb = await buildWeb(join(folder, "web"));
  writeFileSync(join(folder, "THIRD-PARTY-LICENCES.md"), thirdPartyLicences([...inCode, ...inWeb]));
  writeDeclarations(manifest, entries, sources, { types: join(folder, "lib"), reports });
  for (const part of PARTS) copy(part, folder);
  for (const tool of ["dice-roller", "door-examiner"]) makeJavaScript(join(folder, "tools", tool), tool);
  writeCommand(join(folder, "bin"));
  writeHelp(join(folder, "help.txt"));
  writeJson(join(folder, "package.json"), publishedManifest(manifest, entries));
}

async function buildWeb(outDir: string): Promise<Set<string>> {
  const built = await build({ ...viteOptions, mode: "production", build: { ...viteOptions.build, outDir } });
  return bundledPackages([built].flat().flatMap((each) => ("output" in each ? each.output : [])));
}

function copy(part: string, folder: string): void {
  const isWanted = (path: string): boolean => !/(__pycache__|\.test\.ts|\/walkthroughs)$/.test(path);
  cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: isWanted });
}

/** Node strips no types inside node_modules. `.mjs`: copied into a story, there is no package.json that says what it is. */
function makeJavaScript(folder: string, tool: string): void {
  const [source, program] = [join(folder, `${tool}.ts`), join(folder, `${tool}.mjs`)];
  const text = stripTypeScriptTypes(readFileSync(source, "utf8")).replaceAll(/[ \t]+$/gm, "");
  renameSync(source, program);
  writeFileSync(program, text.replaceAll(/\n{3,}/g, "\n\n"));
  const manifest = join(folder, "tool.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll(`${tool}.ts`, `${tool}.mjs`));
}

function writeCommand(folder: string): void {
  let text = readFileSync(join(ROOT, PACKAGE, "bin/narratoria.js"), "utf8");
  for (const module of COMMAND_MODULES) {
    const published = `../${module.replace("cli/", "lib/")}.js`;
    if (!text.includes(`"../src/${module}.ts"`)) throw new Error(`bin/narratoria.js does not load ${module}`);
    text = text.replace(`"../src/${module}.ts"`, `"${published}"`);
  }
  mkdirSync(folder);
  writeFileSync(join(folder, "narratoria.js"), text);
  chmodSync(join(folder, "narratoria.js"), 0o755);
}

/** What the command says of itself, as wide as most terminals are. */
function writeHelp(file: string): void {
  const command = join(ROOT, PACKAGE, "bin/narratoria.js");
  writeFileSync(file, execFileSync(process.execPath, [command, "help"], { encoding: "utf8" }));
}

function publishedManifest(manifest: Manifest, entries: readonly Entry[]): object {
  const dependencies = Object.entries(manifest.dependencies ?? {}).filter(([name]) => EXTERNAL.includes(name));
  const files = ["bin", "help.txt", "lib", "web", "stories", "tools", "sdks", "contracts", "THIRD-PARTY-LICENCES.md"];
  return {
    ...manifest,
    exports: publishedExports(manifest, entries),
    dependencies: Object.fromEntries(dependencies),
    files: [...files, "CHANGELOG.md"],
  };
}
