/** What Narratoria provides to the tools it starts, at every level of the sandbox: both SDKs, with nothing installed. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ExecutionResult, ToolResult } from "../src/story/execution-result.ts";
import { LEVELS, type Level } from "./command-of-level.ts";
import { makeStory, type MadeStory } from "./made-story.ts";

const EXAMPLES = fileURLToPath(new URL("../../../tools", import.meta.url));
const NODE = "#!/usr/bin/env node\n";
const SAYS = `defineTool({}, () => "provided");\n`;
const IMPORTS = `import { defineTool } from "@narratoria/tool";\n${SAYS}`;
const REQUIRES = `const { defineTool } = require("@narratoria/tool");\n${SAYS}`;
const PYTHON = `#!/usr/bin/env python3\nfrom narratoria_tool import run\nrun(lambda input, emit: "provided")\n`;
const OWN_DONE = { version: "0", type: "done", ok: true, summary: "its own" };

const TOOLS = {
  "tools/typescript.mts": `${NODE}import type { Json } from "@narratoria/tool/json";\nconst one: Json = 1;\n${IMPORTS}void one;`,
  "tools/module.mjs": NODE + IMPORTS,
  "tools/common.cjs": NODE + REQUIRES,
  "tools/later.mjs": `${NODE}const { defineTool } = await import("@narratoria/tool");\n${SAYS}`,
  "tools/thread.mjs": `${NODE}import { Worker } from "node:worker_threads";\nnew Worker(new URL("./module.mjs", import.meta.url));`,
  "tools/child.mjs": `${NODE}import { spawnSync } from "node:child_process";\nspawnSync(process.execPath, ["tools/module.mjs"], { stdio: ["ignore", "inherit", "inherit"] });`,
  "tools/python.py": PYTHON,
};
const WITH_THEIR_OWN = { "own/own.mjs": NODE + IMPORTS, "own/common.cjs": NODE + REQUIRES, "own/own.py": PYTHON };
const OWN_SDKS = {
  "own/node_modules/@narratoria/tool/package.json": { name: "@narratoria/tool", exports: "./own.mjs" },
  "own/node_modules/@narratoria/tool/own.mjs": `export const defineTool = () => console.log(${JSON.stringify(JSON.stringify(OWN_DONE))});`,
  "own/narratoria_tool.py": `def run(main):\n    print('${JSON.stringify(OWN_DONE)}')\n`,
};
const FUNCTION = {
  "tools/function/tool.json": mount("function", "namel3ss/1", { entry: "say:say", transport: { type: "stdio" } }),
  "tools/function/say.py": `import narratoria_tool\ndef say(payload):\n    return callable(narratoria_tool.run)\n`,
};
const MODULE = {
  "tools/module/tool.json": mount("module", "amplifier/1", {
    version: "1.0.0",
    transport: { type: "stdio", command: ["node", "module.mts"] },
  }),
  "tools/module/module.mts": `
import { createInterface } from "node:readline";
import { readJson } from "@narratoria/tool/json";
const about = { name: "module", version: "1.0.0", kind: "tool", capabilities: [] };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as { id: string; method: string };
  const answer = method === "describe" ? about : method === "health" ? { status: "ok" } : { ok: true, result: typeof readJson };
  console.log(JSON.stringify({ id, ...answer }));
}`,
};
const COPIED = ["bell-ringer", "dice-roller", "door-examiner", "torch-lighter"];
const BUILTIN = COPIED.map((name) =>
  mount(`shipped-${name}`, "narratoria/0", { transport: { type: "stdio", command: [`builtin:${name}`] } }),
);

function mount(name: string, protocol: string, more: object): object {
  return { name, kind: "tool", protocol, capabilities: [], ...more };
}

describe.each(LEVELS)("at the level %s", (level: Level) => {
  let story: MadeStory;
  let result: ExecutionResult;
  beforeAll(async () => {
    story = makeStory({ "story.json": { mounts: BUILTIN } });
    story.writeAll({ ...TOOLS, ...WITH_THEIR_OWN, ...OWN_SDKS, ...FUNCTION, ...MODULE });
    story.write("tools/other.mjs", `${NODE}import "@narratoria/other";`);
    for (const name of COPIED) cpSync(join(EXAMPLES, name), join(story.path, "tools", name), { recursive: true });
    const paths = [...Object.keys(TOOLS), ...Object.keys(WITH_THEIR_OWN), "tools/other.mjs"].map((path) => `./${path}`);
    const named = ["function", "module", ...COPIED, ...COPIED.map((name) => `shipped-${name}`)];
    result = await level.run(story, [...paths, ...named], { dice: "2d6", seed: 1 });
  }, 60_000);
  afterAll(() => story[Symbol.dispose]());

  function resultOf(name: string): ToolResult {
    const found = result.toolResults.find(({ toolId }) => toolId === name);
    if (found === undefined) throw new Error(`nothing came of ${name}`);
    expect(found.attempts.map(({ sandbox }) => sandbox)).toEqual([level.name]);
    return found;
  }
  const summaryOf = (name: string): unknown => {
    const { state, attempts, events } = resultOf(name);
    expect(state, attempts[0]?.stderrTail).toBe("completed");
    return (events.at(-1) as { summary?: string }).summary;
  };

  test.each(Object.keys(TOOLS))("[T1.6] %s imports an SDK that nobody installed", (path) => {
    expect(summaryOf(`./${path}`)).toBe("provided");
  });

  test.each(Object.keys(WITH_THEIR_OWN))("[T1.6] %s has a copy of its own, which comes first", (path) => {
    expect(summaryOf(`./${path}`)).toBe("its own");
  });

  test("[T1.6] nothing else is provided, and what is missing is missing by its own name", () => {
    const { state, attempts } = resultOf("./tools/other.mjs");
    expect(state).toBe("failed");
    expect(attempts[0]?.stderrTail).toMatch(/Cannot find package '@narratoria\/other' imported from .*other\.mjs/);
  });

  test("[Y1.1] [A1.3] a Python function and a module find theirs", () => {
    expect([resultOf("function").output, resultOf("module").output]).toEqual([true, "function"]);
  });

  test.each(COPIED)("[P1.6] %s works as builtin: from any story, and copied into one", (name) => {
    expect(summaryOf(`shipped-${name}`)).toBe(summaryOf(name));
  });
});
