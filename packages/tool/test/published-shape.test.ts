/** What `scripts/pack.ts` builds is what people install: JavaScript, declarations, nothing missing, nothing extra. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runProcess } from "./run-process.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "published-"));
const packed = join(folder, "node_modules/@narratoria/tool");

beforeAll(() => {
  mkdirSync(packed, { recursive: true });
  const run = spawnSync(process.execPath, [join(ROOT, "scripts/pack.ts"), packed], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stdout + run.stderr);
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the folder holds these files, and the manifest points at them", () => {
  expect(readdirSync(packed).sort()).toEqual(["LICENSE", "README.md", "lib", "package.json"]);
  const modules = ["emit", "index", "input", "json", "ndjson", "protocol"];
  expect(readdirSync(join(packed, "lib")).sort()).toEqual(modules.flatMap((name) => [`${name}.d.ts`, `${name}.js`]));
  const manifest = readManifest();
  expect(manifest["exports"]).toMatchObject({ ".": { types: "./lib/index.d.ts", default: "./lib/index.js" } });
  expect(manifest).toMatchObject({ name: "@narratoria/tool", license: "MIT", type: "module", files: ["lib"] });
  expect(manifest).not.toHaveProperty("dependencies");
});

test("publint finds nothing", async () => {
  const manifest = readManifest();
  const { messages } = await publint({ pkgDir: packed, pack: false, level: "warning" });
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
});

test("the built JavaScript exports what the source does", async () => {
  const source = await import("../src/index.ts");
  const script = `import("@narratoria/tool").then((m) => process.stdout.write(JSON.stringify(Object.keys(m).sort())))`;
  const run = spawnSync(process.execPath, ["-e", script], { cwd: folder, encoding: "utf8" });
  expect(JSON.parse(run.stdout)).toEqual(Object.keys(source).sort());
});

test("a tool that installed it runs, and its types hold", async () => {
  const tool = join(folder, "tool.mts");
  const source = `import { defineTool } from "@narratoria/tool";\n`;
  writeFileSync(
    tool,
    `${source}defineTool<{ n: number }>({}, (input, emit) => { emit.progress(input.n); return "Half."; });\n`,
  );
  const run = await runProcess(process.execPath, { args: [tool], stdin: { input: { n: 0.5 } } });
  expect(run.events).toMatchObject([
    { type: "log", fields: { progress: 0.5 } },
    { type: "done", summary: "Half." },
  ]);

  expect(checkTypes(tool)).toBe("");
  writeFileSync(tool, `${source}defineTool<{ n: number }>({}, (input, emit) => { emit.patch(input.n); });\n`);
  expect(checkTypes(tool)).toContain("TS2345");
});

function checkTypes(file: string): string {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const args = [tsc, "--noEmit", "--strict", "--module", "nodenext", "--types", "node"];
  args.push("--typeRoots", join(ROOT, "node_modules/@types"), file);
  return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" }).stdout;
}

function readManifest(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(packed, "package.json"), "utf8")) as Record<string, unknown>;
}
