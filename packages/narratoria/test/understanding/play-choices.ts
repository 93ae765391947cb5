/** Plays a story of the corpus by the exact labels of its choices, without asking what words mean. */
import { fileURLToPath } from "node:url";
import { Story } from "inkjs/engine/Story";
import { compileInk } from "../../src/narrators/compile-ink.ts";
import { readInkFiles } from "../../src/narrators/ink-files.ts";
import { startGame, STORY_DIR } from "../default-story.ts";
import type { CorpusStory } from "./read-corpus.ts";

export interface PlayedStory {
  /** Labels of the choices open now, hidden ones too. */
  labels(): string[];
  choose(label: string): void;
}

export function corpusStoryDir(story: CorpusStory): string {
  if (story === "the-lamp-under-the-hill") return STORY_DIR;
  return fileURLToPath(new URL(`stories/${story}`, import.meta.url));
}

export function startCorpusStory(story: CorpusStory): PlayedStory {
  const { labels, chooseIndex } = story === "the-lamp-under-the-hill" ? startDefaultStory() : startSmallStory(story);
  return {
    labels,
    choose: (label) => {
      const index = labels().indexOf(label);
      if (index === -1) throw new Error(`"${label}" is not open; open are: ${labels().join("; ")}`);
      chooseIndex(index);
    },
  };
}

interface ByIndex {
  labels(): string[];
  chooseIndex(index: number): void;
}

function startDefaultStory(): ByIndex {
  const game = startGame({ succeeds: () => true, dice: () => 9 });
  return { labels: () => game.choices().map(({ label }) => label), chooseIndex: game.choose };
}

const compiled = new Map<CorpusStory, string>();

function startSmallStory(name: CorpusStory): ByIndex {
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
  const kept = compiled.get(name);
  if (kept !== undefined) return kept;
  const compilation = compileInk(readInkFiles(corpusStoryDir(name), "story.ink"));
  if (compilation.kind === "invalid") throw new Error(`${name}: ${JSON.stringify(compilation.problems)}`);
  compiled.set(name, compilation.json);
  return compilation.json;
}
