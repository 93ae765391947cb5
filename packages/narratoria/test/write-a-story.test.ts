/** docs/write-a-story.md says true things: its story is written to a folder and played as the page shows. */
import { expect, test } from "vitest";
import { NARRATOR_KINDS } from "../src/narrators/narrator-kinds.ts";
import { loadStory } from "../src/runtime/mounts/load-story.ts";
import { makeStoryFolder, startSession, type Fate } from "./narrator-session.ts";
import { namedSnippets, readSnippets } from "./read-markdown.ts";

const PAGE = "docs/write-a-story.md";
const named = namedSnippets(PAGE);
const FILES = { "story.json": named["my-story/story.json"] ?? "", "story.ink": named["my-story/story.ink"] ?? "" };
const PLAYED = readSnippets(PAGE).find(({ language }) => language === "play")?.text ?? "";

const fate: Fate = ({ toolPath }) =>
  toolPath === "torch-lighter"
    ? { patch: { inventory: { torch: { lit: true } } } }
    : { patch: { discovered: { door_inscription: "Ancient runes" } } };

test.each<[what: string, files: Record<string, string>, played: string]>([
  ["[N1.1] the story", FILES, PLAYED],
  ["[L1.6] the gate that takes a name", { "story.ink": named["gate/story.ink"] ?? "" }, named["gate"] ?? ""],
])("%s of the guide loads and plays as the guide shows", async (_, files, played) => {
  const loading = await loadStory(makeStoryFolder(files), NARRATOR_KINDS);
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  const session = startSession(loading.narrator, { fate, state: loading.story.initialState });
  await session.turn(null);
  const steps = played.split(/^> /m).slice(1);
  expect(steps).toHaveLength(2);
  for (const step of steps) {
    const [prompt = "", ...shown] = step.trim().split("\n");
    const { text } = await session.turn(prompt);
    expect(shown.filter((line) => !text.includes(line))).toEqual([]);
  }
  await loading.narrator.close();
});

test("[N1.4] the guide's own voice answers what it does not know", async () => {
  const loading = await loadStory(makeStoryFolder(FILES), NARRATOR_KINDS);
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  const session = startSession(loading.narrator);
  await session.turn(null);
  const { text, choices } = await session.turn("sing a song");
  expect(text).toContain('The cellar does not answer to "sing a song".');
  expect(choices).toEqual(["Light the torch", "Examine the mysterious door"]);
  await loading.narrator.close();
});
