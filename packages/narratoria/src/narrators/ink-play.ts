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
import { isSceneTag, readChoiceTags, readEndingTag, readToolTag, type ToolTag } from "./ink-tags.ts";
import { splitIntents, withBorrowedVerb } from "./intents.ts";
import { matchPrompt, type MatchTarget, type PromptMatch } from "./match-prompt.ts";
import { isSmallTalk, type Lexicon } from "./words.ts";

export interface InkPassRequest {
  /** Where to start, as ink saved it; null: from the top. */
  ink: string | null;
  /** Null plays on without choosing. */
  prompt: string | null;
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
}

export interface InkChoice extends MatchTarget {
  hidden: boolean;
  aliases: string[];
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
      stuck: { part: string; at: number; candidates: string[] } | null;
      /** `state()` was asked behind a tool that has not run. */
      guessedState: boolean;
    }
  | { kind: "failed"; message: string };

const MAX_LINES = 10_000;

export function createInkPlayer(json: string, lexicon: Lexicon): (request: InkPassRequest) => InkPass {
  const story = new Story(json);
  let pass = new Pass(story, lexicon, EMPTY_REQUEST);
  story.allowExternalFunctionFallbacks = true;
  // Not safe to look ahead: ink would ask behind a tool's line before that line was handed over.
  story.BindExternalFunction("ok", (id: unknown) => pass.ok(String(id)), false);
  story.BindExternalFunction("summary", (id: unknown) => pass.summary(String(id)), false);
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
  readonly #met = new Map<string, { latest: string; count: number }>();
  readonly #waiting = new Set<string>();
  #intent = 0;
  #stateIndex = 0;
  #ending: string | null = null;
  #guessedState = false;

  constructor(story: Story, lexicon: Lexicon, request: InkPassRequest) {
    this.#story = story;
    this.#lexicon = lexicon;
    this.#request = request;
  }

  play(): InkPass {
    const { ink, prompt, seed } = this.#request;
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
    const stuck = prompt === null ? null : this.#follow(splitIntents(prompt), prompt);
    const [error] = errors;
    if (error !== undefined) return { kind: "failed", message: error };
    return {
      kind: "played",
      lines: this.#lines,
      choices: this.#choices(),
      ink: story.state.ToJson(),
      ending: story.currentChoices.length === 0 ? (this.#ending ?? "The end") : null,
      stuck,
      guessedState: this.#guessedState,
    };
  }

  /** Chooses for one part after another; says where it got stuck. */
  #follow(parts: readonly string[], prompt: string): { part: string; at: number; candidates: string[] } | null {
    // "Sit down and wait" may be one choice, and "well, light the torch" one wish.
    const whole = this.#match(prompt);
    const first = this.#match(parts[0] ?? prompt);
    const isOne = whole.kind === "match" ? whole.exact || first.kind !== "match" : first.kind === "none";
    const wishes = isOne ? [prompt] : parts;
    for (const [at, part] of wishes.entries()) {
      this.#intent = at;
      const match = this.#matchPart(part, wishes[at - 1]);
      if (match.kind === "none" && at > 0 && isSmallTalk(part)) continue;
      if (match.kind !== "match") {
        const candidates = match.kind === "ambiguous" ? match.indexes : [];
        const choices = this.#choices();
        return { part, at, candidates: candidates.flatMap((index) => choices[index]?.label ?? []) };
      }
      this.#story.ChooseChoiceIndex(match.index);
      this.#tell();
    }
    return null;
  }

  #matchPart(part: string, before: string | undefined): PromptMatch {
    const match = this.#match(part);
    if (match.kind !== "none") return match;
    const borrowed = withBorrowedVerb(part, before, this.#lexicon);
    return borrowed === null ? match : this.#match(borrowed);
  }

  #match(part: string): PromptMatch {
    return matchPrompt(part, this.#choices(), this.#lexicon);
  }

  #choices(): InkChoice[] {
    return this.#story.currentChoices.map(({ text, tags }) => ({ label: text.trim(), ...readChoiceTags(tags ?? []) }));
  }

  #tell(): void {
    while (this.#story.canContinue) {
      const text = (this.#story.Continue() ?? "").trim();
      const tags = this.#story.currentTags ?? [];
      const waiting = tags.flatMap((tag) => this.#meetTool(tag));
      for (const tag of tags) this.#ending = readEndingTag(tag) ?? this.#ending;
      if (text === "" && waiting.length === 0) continue;
      this.#lines.push({ text, waiting, startsScene: tags.some(isSceneTag) });
      if (this.#lines.length > MAX_LINES) throw new Error(`more than ${MAX_LINES} lines without a choice`);
    }
  }

  /** The tool of a tag when it has yet to run. Met again in a turn, the same id is another run: `roll1`, `roll1-2`. */
  #meetTool(tag: string): InkTool[] {
    const reading = readToolTag(tag);
    if (reading?.kind !== "tool") return [];
    const { tool } = reading;
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

function asInkValue(value: Json | undefined): string | number | boolean {
  if (value === undefined || value === null) return false;
  return typeof value === "object" ? true : value;
}
