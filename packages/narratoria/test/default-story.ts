/** Plays the default story with made-up tools, one choice at a time; `default-story.test.ts` walks it in every way. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Story } from "inkjs/engine/Story";
import type { JsonObject } from "@narratoria/tool/json";
import { compileInk } from "../src/narrators/compile-ink.ts";
import { readInkFiles } from "../src/narrators/ink-files.ts";
import { readChoiceTags, readEndingTag, readToolTag, type ToolTag } from "../src/narrators/ink-tags.ts";
import { makeLexicon, type Synonyms } from "../src/narrators/understanding/lexicon.ts";
import { matchPrompt, type MatchTarget, type PromptMatch } from "../src/narrators/understanding/match.ts";
import { splitWishes } from "../src/narrators/understanding/wishes.ts";
import { lookUp, parsePointer } from "../src/story/json-pointer.ts";
import { mergePatch } from "../src/story/merge-patch.ts";

export const STORY_DIR = fileURLToPath(new URL("../../../stories/the-lamp-under-the-hill", import.meta.url));

export interface StoryJson {
  mounts: { name: string; transport: { command: string[] } }[];
  state: JsonObject;
  synonyms: Synonyms;
}

export const storyJson = JSON.parse(readFileSync(join(STORY_DIR, "story.json"), "utf8")) as StoryJson;
export const inkFiles = readInkFiles(STORY_DIR, "story.ink");
const compilation = compileInk(inkFiles);
if (compilation.kind === "invalid") throw new Error(JSON.stringify(compilation.problems, null, 2));
const { json } = compilation;
const lexicon = makeLexicon(storyJson.synonyms);

/** How the tools fare: whether one succeeds, and what the dice show. */
export interface Fate {
  succeeds: (tool: ToolTag) => boolean;
  dice: () => number;
}

export type OpenChoice = MatchTarget & { hidden: boolean };

export interface Game {
  choices: () => OpenChoice[];
  /** Finds choices as the narrator does. */
  match: (prompt: string) => PromptMatch;
  choose: (index: number) => void;
  /** Types a prompt, of one wish or several. */
  type: (prompt: string) => void;
  readonly text: string;
  readonly state: JsonObject;
  readonly tools: readonly ToolTag[];
  readonly ending: string | null;
}

export function startGame(fate: Fate): Game {
  const story = new Story(json);
  const outcomes = new Map<string, boolean>();
  const tools: ToolTag[] = [];
  let { state } = storyJson;
  let text = "";
  let ending: string | null = null;

  story.onError = (message) => {
    throw new Error(`${message}\n${text.slice(-300)}`);
  };
  story.BindExternalFunction("ok", (id: string) => outcomes.get(id) ?? false, false);
  story.BindExternalFunction("state", (path: string) => lookUp(state, parsePointer(path) ?? []) ?? false, false);

  const useTool = (tool: ToolTag): void => {
    const succeeded = fate.succeeds(tool);
    tools.push(tool);
    outcomes.set(tool.toolId, succeeded);
    if (succeeded) state = mergePatch(state, patchOf(tool, fate));
  };
  const tell = (): void => {
    while (story.canContinue) {
      text += story.Continue() ?? "";
      for (const tag of story.currentTags ?? []) {
        const reading = readToolTag(tag);
        if (reading?.kind === "tool") useTool(reading.tool);
        ending = readEndingTag(tag) ?? ending;
      }
    }
  };
  const choices = (): OpenChoice[] =>
    story.currentChoices.map(({ text: label, tags }) => ({ label, ...readChoiceTags(tags ?? []) }));
  const match = (prompt: string): PromptMatch => matchPrompt(prompt, choices(), lexicon);
  const choose = (index: number): void => {
    text += `\n> ${choices()[index]?.label}\n`;
    story.ChooseChoiceIndex(index);
    tell();
  };
  const type = (prompt: string): void => {
    const whole = match(prompt);
    const isOne = whole.kind === "match" && whole.exact;
    for (const wish of isOne ? [prompt] : splitWishes(prompt, lexicon).map((one) => one.text)) {
      const found = match(wish);
      if (found.kind !== "match") throw new Error(`"${wish}": ${found.kind} in ${JSON.stringify(choices())}`);
      choose(found.index);
    }
  };
  tell();
  return {
    choices,
    match,
    choose,
    type,
    tools,
    get text() {
      return text;
    },
    get state() {
      return state;
    },
    get ending() {
      return story.currentChoices.length === 0 ? ending : null;
    },
  };
}

/** What the real tools write, as far as the story reads it. */
export function patchOf({ mount, input }: Pick<ToolTag, "mount" | "input">, fate: Pick<Fate, "dice">): JsonObject {
  const { take, drop, dice, ...details } = input;
  switch (mount) {
    case "torch-lighter":
      return { inventory: { torch: { lit: true } } };
    case "door-examiner":
      return { discovered: { door_inscription: "Ancient runes" } };
    case "dice-roller":
      return { dice: { last: { total: fate.dice() + (dice === "2d6+3" ? 3 : 0) } } };
    case "slow-map":
      return { map: { drawn: true } };
    case "flaky-lantern":
      return { lantern: { lit: true } };
    case "acoustics":
      return { echo: { of: 5, returned: 4, seconds: 1.22 } };
    case "satchel":
      if (typeof take === "string") return { inventory: { [take]: details } };
      return typeof drop === "string" ? { inventory: { [drop]: null } } : {};
    default:
      return {};
  }
}
