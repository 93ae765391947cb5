/**
 * Plays one pass of a compiled ink story: from a saved point, through the player's wishes, to the next choices. It runs
 * in a process of its own (`ink-jobs.ts`), since an author's endless loop would stop everything else.
 *
 * A pass never waits for tools. Whatever is known of them is told to it; of a tool that has not run, it assumes success
 * and says so. `ink.ts` turns that into a plan and plays the same pass again when the outcome is known.
 */
import { ErrorType } from "inkjs/engine/Error";
import { Story } from "inkjs/engine/Story";
import type { Json, JsonObject } from "@narratoria/tool/json";
import { lookUp, parsePointer } from "../story/json-pointer.ts";
import {
  isSceneTag,
  readChoiceTags,
  readEndingTag,
  readHintTag,
  readToolTag,
  type ChoiceTags,
  type ToolTag,
} from "./ink-tags.ts";
import { asText } from "./paragraphs.ts";
import { fromInk, toInk } from "./typed-text.ts";
import type { Lexicon } from "./understanding/lexicon.ts";
import {
  gatherCandidates,
  hear,
  isReported,
  matchSaid,
  type Candidates,
  type PromptMatch,
} from "./understanding/match.ts";
import { mayMean, nearTargets } from "./understanding/nearness.ts";
import { readSight } from "./understanding/sight.ts";
import {
  takesBack,
  isAddress,
  splitWishes,
  withBorrowedVerb,
  withNamedThing,
  type Wish,
} from "./understanding/wishes.ts";
import { isSmallTalk } from "./understanding/words.ts";

export interface InkPassRequest {
  /** Where to start, as ink saved it; null: from the top. */
  ink: string | null;
  /** What was typed, or the words of the choice that was taken; null plays on without choosing. */
  prompt: string | null;
  /** The choice that was taken, by its place; null when words must find it. */
  taken: number | null;
  /** What the player has before their eyes: texts, and names from the state. */
  seen: readonly string[];
  seed: number;
  /** By tool id, as `InkTool.toolId` gave it. */
  outcomes: Readonly<Record<string, InkOutcome>>;
  /** The session state before the turn's first plan, after that plan, and so on. */
  states: readonly JsonObject[];
  /** Tools that may not run: they count as failed. */
  disabled: readonly string[];
  /** What `state()` answers behind a tool that has not run: what is there now, or true, as if it were already done. */
  unknownState: "as it is" | "true";
}

export interface InkOutcome {
  ok: boolean;
  summary: string;
  /** Which of `states` holds what this tool changed. */
  stateIndex: number;
}

export interface InkTool extends ToolTag {
  /** Which wish of the prompt it belongs to. */
  intent: number;
}

export interface InkLine {
  text: string;
  /** The tools on this line that have not run. */
  waiting: InkTool[];
  startsScene: boolean;
  hint: string | null;
}

export interface InkChoice extends ChoiceTags {
  /** Nobody else's, also not of the same choice in another turn: who chooses late chooses nothing else. */
  id: string;
  label: string;
}

export type InkPass =
  | {
      kind: "played";
      lines: InkLine[];
      choices: InkChoice[];
      ink: string;
      /** The name of the ending; null while there are choices. */
      ending: string | null;
      /** What the player wished and the story did not understand, or understood twice; null when all was done. */
      stuck: Stuck | null;
      /** The labels of the choices that were taken, in order. */
      taken: string[];
      /** `state()` was asked behind a tool that has not run. */
      guessedState: boolean;
    }
  | { kind: "failed"; message: string };

export interface Stuck {
  /** The words that were not followed. */
  part: string;
  /** Which of the wishes it is. */
  at: number;
  /** They fit these equally well: places among the choices that were open then. */
  candidates: number[];
  /** They come near to these. */
  near: number[];
  /** Nothing known speaks against their meaning a choice in other words. */
  mayMean: boolean;
}

const MAX_LINES = 10_000;

export function createInkPlayer(json: string, lexicon: Lexicon): (request: InkPassRequest) => InkPass {
  const story = new Story(json);
  let pass = new Pass(story, lexicon, EMPTY_REQUEST);
  story.allowExternalFunctionFallbacks = true;
  // Not safe to look ahead: ink would ask behind a tool's line before that line was handed over.
  story.BindExternalFunction("ok", (id: unknown) => pass.ok(String(id)), false);
  story.BindExternalFunction("summary", (id: unknown) => pass.summary(String(id)), false);
  story.BindExternalFunction("prompt", () => toInk(pass.prompt()), false);
  story.BindExternalFunction("state", (path: unknown) => pass.state(String(path)), false);
  return (request) => {
    pass = new Pass(story, lexicon, request);
    try {
      return pass.play();
    } catch (error) {
      return { kind: "failed", message: (error as Error).message };
    }
  };
}

const EMPTY_REQUEST: InkPassRequest = {
  ink: null,
  prompt: null,
  taken: null,
  seen: [],
  seed: 0,
  outcomes: {},
  states: [{}],
  disabled: [],
  unknownState: "as it is",
};

/** A class for once: ink calls back into the pass that is being played. */
class Pass {
  readonly #story: Story;
  readonly #lexicon: Lexicon;
  readonly #request: InkPassRequest;
  readonly #lines: InkLine[] = [];
  readonly #taken: string[] = [];
  readonly #met = new Map<string, { latest: string; count: number }>();
  readonly #waiting = new Set<string>();
  #intent = 0;
  #typed: string;
  #stateIndex = 0;
  #ending: string | null = null;
  #guessedState = false;

  constructor(story: Story, lexicon: Lexicon, request: InkPassRequest) {
    this.#story = story;
    this.#lexicon = lexicon;
    this.#request = request;
    this.#typed = request.prompt ?? "";
  }

  play(): InkPass {
    const { ink, prompt, taken, seed } = this.#request;
    const story = this.#story;
    const errors: string[] = [];
    story.onError = (message, type) => {
      if (type === ErrorType.Error) errors.push(message);
    };
    story.ResetState();
    if (ink !== null) story.state.LoadJson(ink);
    // Shuffles hang on the story's seed and must keep it to the end; dice hang on the number drawn last.
    else story.state.storySeed = seed;
    story.state.previousRandom = seed;
    if (story.canContinue) this.#tell();
    if (taken !== null) this.#choose(taken);
    const stuck = prompt === null || taken !== null ? null : this.#follow(prompt);
    const [error] = errors;
    if (error !== undefined) return { kind: "failed", message: error };
    return {
      kind: "played",
      lines: this.#lines,
      choices: this.#choices(),
      ink: story.state.ToJson(),
      ending: story.currentChoices.length === 0 ? (this.#ending ?? "The end") : null,
      stuck,
      taken: this.#taken,
      guessedState: this.#guessedState,
    };
  }

  /** Chooses for one wish after another; says where it got stuck. */
  #follow(prompt: string): Stuck | null {
    const lexicon = this.#lexicon;
    // "Sit down and wait" may be one choice, and "well, light the torch" one wish.
    const whole = this.#match(prompt);
    const parts = splitWishes(prompt, lexicon);
    const [first] = parts;
    const isOne =
      parts.length === 1 ||
      first === undefined ||
      isReported(prompt) ||
      isAddress(first.text, lexicon) ||
      (whole.kind === "match" && (whole.exact || this.#match(first.text).kind !== "match"));
    const wishes = isOne ? [{ text: prompt, rest: prompt, isBehindSign: false }] : parts;
    const asks = prompt.trimEnd().endsWith("?");
    for (const [at, { text, rest }] of wishes.entries()) {
      this.#intent = at;
      const match =
        at === 0
          ? this.#match(text)
          : this.#matchPart(
              text,
              wishes.slice(0, at).map((wish) => wish.text),
            );
      if (match.kind === "match" && !this.#isTakenBack(text, wishes[at + 1])) {
        this.#typed = text;
        this.#choose(match.index);
        continue;
      }
      if (at > 0 && (isSmallTalk(text, lexicon) || (asks && isAddress(text, lexicon)))) continue;
      const choices = this.#choices();
      const any = choices.findIndex(({ isAny }) => isAny);
      if (match.kind === "none" && any >= 0) {
        // All that was typed from here on: what is said to somebody may have commas in it.
        this.#typed = rest;
        this.#choose(any);
        return null;
      }
      const candidates = match.kind === "ambiguous" ? match.indexes : [];
      const near = match.kind === "match" ? [match.index] : candidates.length > 0 ? [] : this.#near(text);
      return { part: at === 0 ? prompt : rest, at, candidates, near, mayMean: this.#mayMean(text) };
    }
    return null;
  }

  /** "Light the torch, no, wait", "write: filled, no one yet": what stands behind the comma takes it back. */
  #isTakenBack(part: string, next: Wish | undefined): boolean {
    if (next?.isBehindSign !== true || !takesBack(next.text, this.#lexicon)) return false;
    return this.#matchPart(next.text, [part]).kind === "none";
  }

  #choose(index: number): void {
    this.#taken.push(this.#choices()[index]?.label ?? "");
    this.#story.ChooseChoiceIndex(index);
    this.#tell();
  }

  /** A wish that leans on those before it: "and the rope", "and open it". */
  #matchPart(part: string, before: readonly string[]): PromptMatch {
    const match = this.#match(part);
    // "Thank you, old man" names somebody, and says of nothing that it be done.
    const isNameAlone = match.kind === "match" && !match.exact && isAddress(part, this.#lexicon);
    if (match.kind === "match" && !isNameAlone) return match;
    const named = withNamedThing(part, before, this.#lexicon);
    const isOpen = match.kind === "none" || isNameAlone;
    const other = named ?? (isOpen ? withBorrowedVerb(part, before.at(-1), this.#lexicon) : null);
    const meant = other === null ? match : this.#match(other);
    if (isNameAlone && (other === null || meant.kind !== "match")) return { kind: "none" };
    return meant.kind === "none" ? match : meant;
  }

  #match(part: string): PromptMatch {
    const { candidates, places } = this.#candidates();
    const match = matchSaid(part, hear(part, candidates), candidates);
    if (match.kind === "match") return { ...match, index: places[match.index] ?? 0 };
    if (match.kind === "ambiguous") return { ...match, indexes: match.indexes.flatMap((at) => places[at] ?? []) };
    return match;
  }

  #near(part: string): number[] {
    const { candidates, places } = this.#candidates();
    return nearTargets(hear(part, candidates), candidates).flatMap((at) => places[at] ?? []);
  }

  #mayMean(part: string): boolean {
    const { candidates } = this.#candidates();
    return mayMean(hear(part, candidates), candidates);
  }

  /** What words can mean now, with their places among all choices. */
  #candidates(): { candidates: Candidates; places: number[] } {
    const open = [...this.#choices().entries()].filter(([, { isAny }]) => !isAny);
    const told = asText(this.#lines);
    const sight = readSight([...this.#request.seen, told], this.#lexicon);
    const targets = open.map(([, choice]) => choice);
    return { candidates: gatherCandidates(targets, this.#lexicon, sight), places: open.map(([index]) => index) };
  }

  #choices(): InkChoice[] {
    const { currentChoices, state } = this.#story;
    const moment = `${this.#request.seed.toString(36)}.${state.currentTurnIndex}`;
    return currentChoices.map(({ text, tags }, index) => ({
      id: `${moment}.${index + 1}`,
      label: fromInk(text).trim(),
      ...readChoiceTags((tags ?? []).map(fromInk)),
    }));
  }

  #tell(): void {
    while (this.#story.canContinue) {
      const text = fromInk(this.#story.Continue() ?? "").trim();
      const tags = this.#story.currentTags ?? [];
      const waiting = tags.flatMap((tag) => this.#meetTool(tag));
      for (const tag of tags) this.#ending = readEndingTag(tag) ?? this.#ending;
      if (text === "" && waiting.length === 0) continue;
      const hint = tags.map(readHintTag).find((each) => each !== null) ?? null;
      this.#lines.push({ text, waiting, startsScene: tags.some(isSceneTag), hint });
      if (this.#lines.length > MAX_LINES) throw new Error(`more than ${MAX_LINES} lines without a choice`);
    }
  }

  /** The tool of a tag when it has yet to run. Met again in a turn, the same id is another run: `roll1`, `roll1-2`. */
  #meetTool(tag: string): InkTool[] {
    const reading = readToolTag(tag);
    if (reading?.kind !== "tool") return [];
    const tool = { ...reading.tool, input: asTyped(reading.tool.input) };
    const count = (this.#met.get(tool.toolId)?.count ?? 0) + 1;
    const toolId = count === 1 ? tool.toolId : `${tool.toolId}-${count}`;
    const after = tool.after.map((id) => this.#met.get(id)?.latest ?? id);
    this.#met.set(tool.toolId, { latest: toolId, count });
    const outcome = this.#request.outcomes[toolId];
    if (outcome !== undefined) this.#stateIndex = Math.max(this.#stateIndex, outcome.stateIndex);
    if (outcome !== undefined || this.#request.disabled.includes(tool.mount)) return [];
    this.#waiting.add(toolId);
    return [{ ...tool, toolId, after, intent: this.#intent }];
  }

  ok(id: string): boolean {
    const latest = this.#met.get(id)?.latest;
    if (latest === undefined) return false;
    return this.#waiting.has(latest) || (this.#request.outcomes[latest]?.ok ?? false);
  }

  /** Empty where nothing was typed: a choice was taken, or the story begins. */
  prompt(): string {
    return this.#request.taken === null ? this.#typed : "";
  }

  summary(id: string): string {
    return this.#request.outcomes[this.#met.get(id)?.latest ?? ""]?.summary ?? "";
  }

  state(path: string): string | number | boolean {
    if (this.#waiting.size > 0) {
      this.#guessedState = true;
      if (this.#request.unknownState === "true") return true;
    }
    const tokens = parsePointer(path);
    const state = this.#request.states[this.#stateIndex] ?? this.#request.states.at(-1) ?? {};
    return asInkValue(tokens === null ? undefined : lookUp(state, tokens));
  }
}

/** What was typed is put right only now, when it can no longer become a part of the tag. */
function asTyped(input: JsonObject): JsonObject {
  const typed = ([key, value]: [string, Json]): [string, Json] => [
    key,
    typeof value === "string" ? fromInk(value) : value,
  ];
  return Object.fromEntries(Object.entries(input).map(typed));
}

function asInkValue(value: Json | undefined): string | number | boolean {
  if (value === undefined || value === null) return false;
  return typeof value === "object" ? true : value;
}
