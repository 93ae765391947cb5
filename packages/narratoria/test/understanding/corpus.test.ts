/** The corpus is right about its stories: every moment can be reached, and every choice it names is open there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readInkFiles } from "../../src/narrators/ink-files.ts";
import { checkInkSources } from "../../src/narrators/ink-source-check.ts";
import { storyFileSchema } from "../../src/story/story-file.ts";
import { corpusStoryDir, openAfter } from "./play-choices.ts";
import { CORPUS_STORIES, readCorpusFile, type CorpusEntry, type CorpusStory, type Expected } from "./read-corpus.ts";

const PARTS = ["open", "kept"] as const;

describe.each(CORPUS_STORIES)("the sentences for %s", (story) => {
  test.each(PARTS)("[L1.1] name only choices that are open at their moment (%s)", (part) => {
    const entries = readCorpusFile(story, part);
    expect(entries.length).toBeGreaterThan(20);
    expect(entries.flatMap((entry) => problemsOf(story, entry))).toEqual([]);
  });

  test("[L1.5] belong to a story that says its language and has no mistakes", () => {
    const dir = corpusStoryDir(story);
    const json = JSON.parse(readFileSync(join(dir, "story.json"), "utf8")) as { language?: string };
    const { mounts } = storyFileSchema.parse(json);
    const names = new Set(["acoustics", "satchel", ...(mounts ?? []).map((mount) => (mount as { name: string }).name)]);
    const { texts, problems } = readInkFiles(dir, "story.ink");
    expect([...problems, ...checkInkSources(texts, names)]).toEqual([]);
    expect(json.language ?? "en").toBe(story === "turmuhr" ? "de" : "en");
  });
});

test("[L1.1] a label of a choice that is not open is found, at the place where it stands", () => {
  const entry: CorpusEntry = {
    file: "market.corpus",
    line: 7,
    path: ["Go to the weaver's stall"],
    sentence: "sell the honey twice",
    expected: [{ kind: "do", choices: ["Sell the honey", "Sell the honey"] }],
  };
  expect(problemsOf("market", entry)).toEqual([
    expect.stringMatching(/^market\.corpus:7: "Sell the honey" is not open; open are: Sell the wool; /),
  ]);
  expect(problemsOf("market", { ...entry, path: ["Go to the moon"] })).toEqual([
    expect.stringContaining('"Go to the moon" is not open'),
  ]);
  expect(problemsOf("market", { ...entry, expected: [{ kind: "ask", choices: ["Buy the brass lamp"] }] })).toEqual([
    expect.stringContaining('"Buy the brass lamp" is not open'),
  ]);
});

test("[L1.1] what is kept apart does not stand in the open half", () => {
  const sentences = (part: (typeof PARTS)[number]): string[] =>
    CORPUS_STORIES.flatMap((story) =>
      readCorpusFile(story, part).map(
        ({ path, sentence }) => `${story}: ${path.join(" > ")}: ${sentence.toLowerCase()}`,
      ),
    );
  const open = new Set(sentences("open"));
  expect(sentences("kept").filter((sentence) => open.has(sentence))).toEqual([]);
});

test("[L1.1] there are enough sentences, and about a third of them are kept apart", () => {
  const count = (part: (typeof PARTS)[number]): number =>
    CORPUS_STORIES.reduce((sum, story) => sum + readCorpusFile(story, part).length, 0);
  const [open, kept] = [count("open"), count("kept")];
  expect(open + kept).toBeGreaterThanOrEqual(480);
  expect(kept / (open + kept)).toBeGreaterThan(0.28);
});

function problemsOf(story: CorpusStory, { file, line, path, expected }: CorpusEntry): string[] {
  return expected.flatMap((one) => {
    try {
      checkOpen(story, path, one);
      return [];
    } catch (error) {
      return [`${file}:${line}: ${(error as Error).message}`];
    }
  });
}

function checkOpen(story: CorpusStory, path: readonly string[], expected: Expected): void {
  const here = openAfter(story, path);
  if (expected.kind === "refuse" || expected.kind === "answer") return;
  expected.choices.forEach((label, index) => {
    // Of several wishes each meets what the one before it has left open; of several offers all are open at once.
    const open = expected.kind === "ask" ? here : openAfter(story, [...path, ...expected.choices.slice(0, index)]);
    if (!open.includes(label)) throw new Error(`"${label}" is not open; open are: ${open.join("; ")}`);
  });
}
