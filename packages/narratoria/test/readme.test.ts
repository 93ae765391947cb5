/** The README's "A tool in 60 seconds" and the guide to tools do what they say: their files are written and run. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseToolEvent } from "@narratoria/tool";
import { endsWithOneDone, runProcess } from "../../tool/test/run-process.ts";
import { sdkEnvironment } from "../src/sandbox/provided-sdks.ts";
import { namedSnippets, ROOT } from "./read-markdown.ts";

const COMMAND = join(ROOT, "packages/narratoria/bin/narratoria.js");
const GUIDE = "docs/write-a-tool.md";
const GUIDE_FILES = ["draw-map.mts", "draw-map.py"];
const TOOL_FILES = ["greeter.mts", "greeter.py", "greeter.sh"];
const folder = mkdtempSync(join(tmpdir(), "readme-"));
// `#!/usr/bin/env node` must find the Node that runs this test.
const PATH = `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`;
const env = { PATH, ...sdkEnvironment() };

beforeAll(() => {
  const blocks = { ...namedSnippets(GUIDE), ...namedSnippets("README.md") };
  for (const [name, text] of Object.entries(blocks)) writeFileSync(join(folder, name), text);
  for (const name of [...TOOL_FILES, ...GUIDE_FILES]) chmodSync(join(folder, name), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the README's tools", () => {
  test("are these files, and a plan", () => {
    expect(Object.keys(namedSnippets("README.md"))).toEqual([...TOOL_FILES, "plan.json"]);
  });

  test.each(TOOL_FILES)("%s prints valid events", async (name) => {
    const run = await runProcess(join(folder, name), { cwd: folder, env, stdin: { input: { name: "Ada" } } });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toBe("");
    expect(endsWithOneDone(run.events)).toBe(true);
    expect(run.events.map((event) => event.type)).toEqual(expect.arrayContaining(["log", "state_patch", "done"]));
    expect(run.events.at(-1)).toMatchObject({ ok: true });
  });

  test.each(TOOL_FILES)("narratoria run plan.json runs %s", (name) => {
    const plan = readFileSync(join(folder, "plan.json"), "utf8").replace("greeter.mts", name);
    const planFile = `plan-${name}.json`;
    writeFileSync(join(folder, planFile), plan);
    const run = spawnSync(process.execPath, [COMMAND, "run", planFile], { cwd: folder, encoding: "utf8" });
    expect(run.status, run.stdout + run.stderr).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ success: true, toolResults: [{ toolId: "greet" }] });
  });
});

describe("docs/write-a-tool.md", () => {
  test.each(GUIDE_FILES)("%s draws a map by lamplight, and fails without", async (name) => {
    const run = (state: object): ReturnType<typeof runProcess> =>
      runProcess(join(folder, name), {
        cwd: folder,
        env: { ...env, NARRATORIA_ASSET_DIR: mkdtempSync(join(folder, "assets-")) },
        stdin: { context: { state } },
      });
    const lit = await run({ lamp: { lit: true } });
    expect(lit.events.map((event) => event.type)).toEqual(expect.arrayContaining(["log", "asset", "done"]));
    expect(lit.events.at(-1)).toMatchObject({ ok: true, summary: "The map is drawn." });
    const dark = await run({});
    expect(dark.events).toMatchObject([
      { type: "error", errorCode: "NO_LAMP" },
      { type: "done", ok: false },
    ]);
  });

  test("[T3.1] its six events are valid, one of each type", () => {
    const lines = namedSnippets(GUIDE)["events"]?.trim().split("\n") ?? [];
    const types = lines.map((line) => {
      const reading = parseToolEvent(line);
      return reading.kind === "event" ? reading.event.type : reading.reason;
    });
    expect(types).toEqual(["log", "state_patch", "asset", "ui_event", "error", "done"]);
  });

  test("its manifest is the torch-lighter's own", () => {
    const shown: unknown = JSON.parse(namedSnippets(GUIDE)["tool.json"] ?? "");
    expect(shown).toEqual(JSON.parse(readFileSync(join(ROOT, "tools/torch-lighter/tool.json"), "utf8")));
  });
});
