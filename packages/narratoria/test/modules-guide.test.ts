/** docs/modules.md says true things: its module is mounted and run, recorded, and played from the recording. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import type { ExecutionResult } from "../src/story/execution-result.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { narratoria } from "./narratoria-command.ts";
import { namedSnippets } from "./read-markdown.ts";

const page = readFileSync(fileURLToPath(new URL("../../../docs/modules.md", import.meta.url)), "utf8");
const files = namedSnippets("docs/modules.md");
const outputs = [
  { place: "the hill", sky: "low cloud" },
  { from: "west", force: 4 },
];
let story: string;

beforeAll(() => {
  story = makeStoryFolder(files);
});

test("[A1.9] the module of the guide answers as the guide says, and its result is in the state", async () => {
  expect(Object.keys(files)).toEqual(["weather.mjs", "story.json", "plan.json", "recorded-mount.json"]);
  const { exitCode, stdout, stderr } = await run("--record", join(story, "recording.json"));
  expect(exitCode, stdout + stderr).toBe(0);
  const { toolResults, aggregatedState } = JSON.parse(stdout) as ExecutionResult;
  expect(toolResults.map(({ output }) => output)).toEqual(outputs);
  expect(aggregatedState).toEqual({ weather: { ...outputs[0], ...outputs[1] } });
  const shown = [...page.matchAll(/`(\{"(?:place|from)".*?\})`/g)].map(([, text = ""]) => JSON.parse(text) as object);
  expect(shown).toEqual(outputs);
});

test("its recording takes its place", async () => {
  const mounts = [JSON.parse(files["recorded-mount.json"] ?? "") as object];
  writeFileSync(join(story, "story.json"), JSON.stringify({ mounts }));
  const { toolResults } = JSON.parse((await run()).stdout) as ExecutionResult;
  expect(toolResults.map(({ output }) => output)).toEqual(outputs);
  expect(toolResults[0]?.attempts[0]?.trace).toMatchObject({ runner: "recorded" });
});

function run(...args: string[]): ReturnType<typeof narratoria> {
  return narratoria(["run", join(story, "plan.json"), ...args]);
}
