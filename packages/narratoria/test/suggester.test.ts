/** Suggestions by meaning: asked about and never acted on, and missed by nobody when the add-on is not there or broken. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test } from "vitest";
import { createInkNarrator } from "../src/narrators/ink.ts";
import { createSuggester, type Suggester } from "../src/narrators/suggester.ts";
import { loadStory } from "../src/runtime/mounts/load-story.ts";
import { makeStoryFolder, startSession, type Session } from "./narrator-session.ts";

/** A model that knows two meanings: keeping quiet, and everything else. */
const MODEL = `
const isQuiet = (text) => /silence|nothing/i.test(text);
const model = { embed: async (texts) => texts.map((text) => (isQuiet(text) ? [1, 0] : [0, 1])) };
export const load = async (name) => (name === "@lat.md/embed" ? { createEmbedder: async () => model } : { default: {} });
`;
const STORY = `"Well?"\n-> well\n== well\n+ [Say nothing] You say nothing. -> well\n+ [Tell the truth] You do. -> well`;

const suggesters: Suggester[] = [];
afterEach(() => {
  for (const suggester of suggesters.splice(0)) suggester.close();
});

async function begin(loaderText: string | null): Promise<Session> {
  const dir = makeStoryFolder({ "story.ink": STORY });
  const loader = join(dir, "load.mjs");
  if (loaderText !== null) writeFileSync(loader, loaderText);
  const suggester = createSuggester(() => (loaderText === null ? null : pathToFileURL(loader).href));
  suggesters.push(suggester);
  const loading = await loadStory(dir, { ink: createInkNarrator({ suggester }) });
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  const session = startSession(loading.narrator);
  await session.turn(null);
  return session;
}

test("[L1.1] what is near in meaning is asked about, and not done", async () => {
  const session = await begin(MODEL);
  const asked = await session.turn("silence");
  expect(asked.text).toBe("*silence*? Did you mean:");
  expect(asked.choices).toEqual(["Say nothing", "Look around"]);
  expect((await session.turn("yes")).text).toBe("You say nothing.");
});

test("[L1.1] a deed that is known and that nothing offers is not guessed at", async () => {
  const session = await begin(MODEL);
  expect((await session.turn("burn the silence")).text).not.toContain("Did you mean");
  expect((await session.turn("don't say nothing at all")).text).not.toContain("Did you mean");
});

test.each([
  ["not there", null],
  ["broken", "throw new Error('no model today');"],
])("without it everything works: it is %s", async (_, loader) => {
  const session = await begin(loader);
  expect((await session.turn("silence")).choices).toEqual(["Say nothing", "Tell the truth"]);
  expect((await session.turn("say nothing")).text).toBe("You say nothing.");
});
