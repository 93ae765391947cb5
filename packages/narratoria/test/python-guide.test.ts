/** The guide to Python tools does what it says: its files are written and its plan is run. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { narratoria } from "./narratoria-command.ts";
import { createPythonStory } from "./python-story.ts";

const guide = readFileSync(new URL("../../../docs/python-tools.md", import.meta.url), "utf8");
const blocks = new Map(
  Array.from(guide.matchAll(/^\*\*`([\w.]+)`\*\*\n```\w+\n([\s\S]*?)^```$/gm), ([, name = "", text = ""]) => [
    name,
    text,
  ]),
);

test("docs/python-tools.md: the function is mounted, called, and its result is in the state", async () => {
  expect([...blocks.keys()]).toEqual(["tides.py", "tool.json", "plan.json"]);
  using story = createPythonStory({
    "tools/tides/tides.py": blocks.get("tides.py") ?? "",
    "tools/tides/tool.json": blocks.get("tool.json") ?? "",
    "plan.json": blocks.get("plan.json") ?? "",
  });
  const { exitCode, stdout, stderr } = await narratoria(["run", "--story", story.path, `${story.path}/plan.json`]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject({
    success: true,
    aggregatedState: { tide: { height: 0.5, crossable: true } },
    toolResults: [{ events: [{ type: "log", message: "Looking up hour 9..." }, { type: "state_patch" }] }],
  });
});

test("docs/python-tools.md: the function's own error is the tool's", async () => {
  using story = createPythonStory({
    "tools/tides/tides.py": blocks.get("tides.py") ?? "",
    "tools/tides/tool.json": blocks.get("tool.json") ?? "",
    "plan.json": (blocks.get("plan.json") ?? "").replace(
      '"hour": 9 }',
      '"hour": 99 }, "retryPolicy": { "maxRetries": 0 }',
    ),
  });
  const { exitCode, stdout } = await narratoria(["run", "--story", story.path, `${story.path}/plan.json`]);
  expect(exitCode).toBe(1);
  const message = "The almanac knows hours from 0 to 23.";
  expect(JSON.parse(stdout)).toMatchObject({ toolResults: [{ errorDetail: { code: "ValueError", message } }] });
});
