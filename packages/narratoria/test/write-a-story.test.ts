/** docs/write-a-story.md says true things: its story is written to a folder and played as the page shows. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { NARRATOR_KINDS } from "../src/narrators/narrator-kinds.ts";
import { loadStory } from "../src/runtime/mounts/load-story.ts";
import { makeStoryFolder, startSession, type Fate } from "./narrator-session.ts";

const page = readFileSync(path.resolve(import.meta.dirname, "../../../docs/write-a-story.md"), "utf8");
const block = (language: string): string => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? "";

const fate: Fate = ({ toolPath }) =>
  toolPath === "torch-lighter"
    ? { patch: { inventory: { torch: { lit: true } } } }
    : { patch: { discovered: { door_inscription: "Ancient runes" } } };

test("[N1.1] the story of the guide loads and plays as the guide shows", async () => {
  const files = { "story.json": block("json"), "story.ink": block("ink") };
  const loading = await loadStory(makeStoryFolder(files, ["torch-lighter", "door-examiner"]), NARRATOR_KINDS);
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  const session = startSession(loading.narrator, { fate, state: loading.story.initialState });
  await session.turn(null);
  const steps = block("play").split(/^> /m).slice(1);
  expect(steps).toHaveLength(2);
  for (const step of steps) {
    const [prompt = "", ...shown] = step.trim().split("\n");
    const { text } = await session.turn(prompt);
    expect(shown.filter((line) => !text.includes(line))).toEqual([]);
  }
  await loading.narrator.close();
});

test("[N1.4] the guide's own voice answers what it does not know", async () => {
  const files = { "story.json": block("json"), "story.ink": block("ink") };
  const loading = await loadStory(makeStoryFolder(files, ["torch-lighter", "door-examiner"]), NARRATOR_KINDS);
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  const session = startSession(loading.narrator);
  await session.turn(null);
  const { text, choices } = await session.turn("sing a song");
  expect(text).toContain('The cellar does not answer to "sing a song".');
  expect(choices).toEqual(["Light the torch", "Examine the mysterious door"]);
  await loading.narrator.close();
});
