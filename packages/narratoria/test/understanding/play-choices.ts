/** Plays a story of the corpus by the exact labels of its choices, without asking what words mean. */
import { fileURLToPath } from "node:url";
import { Story } from "inkjs/engine/Story";
import { compileInk } from "../../src/narrators/compile-ink.ts";
import { readInkFiles } from "../../src/narrators/ink-files.ts";
import { startGame, STORY_DIR } from "../default-story.ts";
import type { CorpusStory } from "./read-corpus.ts";

export function corpusStoryDir(story: CorpusStory): string {
  if (story === "the-lamp-under-the-hill") return STORY_DIR;
  return fileURLToPath(new URL(`stories/${story}`, import.meta.url));
}

/** The story at a moment: what is open, and how one of them is chosen. */
interface PlayedStory {
  labels(): string[];
  chooseIndex(index: number): void;
}

const openAt = new Map<string, string[]>();

/** Labels of all choices, hidden ones too, that are open when these have been chosen from the beginning. */
export function openAfter(story: CorpusStory, chosen: readonly string[]): string[] {
  const moment = JSON.stringify([story, chosen]);
  const known = openAt.get(moment);
  if (known !== undefined) return known;
  const played = story === "the-lamp-under-the-hill" ? startDefaultStory() : startSmallStory(story);
  for (const label of chosen) {
    const open = played.labels();
    if (!open.includes(label)) throw new Error(`"${label}" is not open; open are: ${open.join("; ")}`);
    played.chooseIndex(open.indexOf(label));
  }
  openAt.set(moment, played.labels());
  return played.labels();
}

function startDefaultStory(): PlayedStory {
  const game = startGame({ succeeds: () => true, dice: () => 9 });
  return { labels: () => game.choices().map(({ label }) => label), chooseIndex: game.choose };
}

const compiled = new Map<CorpusStory, string>();

function startSmallStory(name: CorpusStory): PlayedStory {
  const story = new Story(compiledStory(name));
  story.onError = (message) => {
    throw new Error(`${name}: ${message}`);
  };
  story.ContinueMaximally();
  return {
    labels: () => story.currentChoices.map(({ text }) => text),
    chooseIndex: (index) => {
      story.ChooseChoiceIndex(index);
      story.ContinueMaximally();
    },
  };
}

function compiledStory(name: CorpusStory): string {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const compilation = compileInk(readInkFiles(corpusStoryDir(name), "story.ink"));
  if (compilation.kind === "invalid") throw new Error(`${name}: ${JSON.stringify(compilation.problems)}`);
  compiled.set(name, compilation.json);
  return compilation.json;
}
