/** The guide to Python tools does what it says: its files are written and its plan is run. */
import { expect, test } from "vitest";
import { narratoria } from "./narratoria-command.ts";
import { createPythonStory } from "./python-story.ts";
import { namedSnippets } from "./read-markdown.ts";

const { "plan.json": plan = "", ...files } = namedSnippets("docs/python-tools.md");
const story = Object.fromEntries(Object.entries(files).map(([name, text]) => [name.replace("my-story/", ""), text]));

test("docs/python-tools.md: the function is mounted, called, and its result is in the state", async () => {
  expect(Object.keys(story)).toEqual(["tools/tides/tides.py", "tools/tides/tool.json"]);
  using made = createPythonStory({ ...story, "plan.json": plan });
  const { exitCode, stdout, stderr } = await narratoria(["run", "--story", made.path, `${made.path}/plan.json`]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject({
    success: true,
    aggregatedState: { tide: { height: 0.5, crossable: true } },
    toolResults: [{ events: [{ type: "log", message: "Looking up hour 9..." }, { type: "state_patch" }] }],
  });
});

test("docs/python-tools.md: the function's own error is the tool's", async () => {
  const late = plan.replace('"hour": 9 }', '"hour": 99 }, "retryPolicy": { "maxRetries": 0 }');
  using made = createPythonStory({ ...story, "plan.json": late });
  const { exitCode, stdout } = await narratoria(["run", "--story", made.path, `${made.path}/plan.json`]);
  expect(exitCode).toBe(1);
  const message = "The almanac knows hours from 0 to 23.";
  expect(JSON.parse(stdout)).toMatchObject({ toolResults: [{ errorDetail: { code: "ValueError", message } }] });
});
