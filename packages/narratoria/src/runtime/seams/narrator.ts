/**
 * The seam to whoever tells the story. A narrator answers one question again and again within a turn: given the prompt
 * and what has happened in this turn so far, what is next? `turns/turn.ts` asks; `narrators/` answer.
 *
 * A narrator keeps nothing between questions: what it must remember is its `memory`, which is part of the turn's
 * record, so that undo, fork and another take are exact.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { Choice } from "@narratoria/tool/protocol";
import type { DraftOf, RejectedPlan } from "../../story/event.ts";
import type { ExecutionResult } from "../../story/execution-result.ts";
import type { Plan } from "../../story/plan.ts";
import type { PlanProblem } from "../../story/plan-problem.ts";
import type { Telling } from "../../story/session-state.ts";

export interface Narrator {
  next(question: NarratorQuestion, stage: Stage, signal: AbortSignal): Promise<NarratorAnswer>;
  close(): Promise<void>;
}

export interface NarratorQuestion {
  /** What the player typed; null asks for the opening scene. */
  prompt: string | null;
  /** The choice of `context.choices` that the player took instead of typing; `prompt` is its label. */
  choiceId: string | null;
  context: StoryContext;
  /** Skills that must not be used: they failed in this turn, or their health is bad. */
  disabledSkills: readonly string[];
  /** What was planned in this turn already, oldest first, and what became of it. */
  plans: readonly PlannedSoFar[];
  /** What the player has read of this turn already: a turn that was interrupted is not told twice. */
  told: readonly string[];
  /** Null outside of a session. */
  sessionId: string | null;
}

/** What a narrator can do while it thinks. */
export interface Stage {
  /** Tells a piece of text now: it is kept as it is told, and what the answer says comes after it. */
  tell(text: string): Promise<void>;
  /** The tools that plans may use. Some must be asked what they offer, so it is found out when it is wanted. */
  tools(): Promise<readonly NarratorTool[]>;
  /** For the log: what was decided about a module that is asked to tell. */
  noteDecisions(decisions: readonly DraftOf<"policy:decision">[]): Promise<void>;
}

export interface NarratorTool {
  /** A plan's `toolPath`. */
  name: string;
  /** A plan's `operation`. */
  operation: string;
  description: string | null;
  /** The JSON Schema of a plan's `input`; null when nothing is said about it. */
  inputs: JsonObject | null;
  /** The parts of the state it is sent and may change, as JSON pointers; null: all of it. */
  reads: readonly string[] | null;
  writes: readonly string[] | null;
}

export type PlannedSoFar =
  | { kind: "executed"; plan: Plan; result: ExecutionResult }
  | { kind: "rejected"; plan: RejectedPlan; problems: PlanProblem[] };

export interface StoryContext {
  /** The session state as it is now, patches of this turn included. */
  state: JsonObject;
  /** The session state when the turn began. */
  stateAtStart: JsonObject;
  /** What this narrator gave as `memory` at the end of the turn before; null in a new session. */
  memory: Json;
  /** The choices the player saw when typing. */
  choices: readonly Choice[];
  /** What was told in the latest turns, oldest first. */
  history: readonly Telling[];
  /** Random, fixed for the turn: the same seed gives the same telling. */
  seed: number;
}

export interface Invocation {
  module: string;
  op: string;
  durationMs: number;
}

/** A module that was asked had no answer that could be used. */
export class NarratorFailed extends Error {
  readonly invocation: Invocation;
  constructor(message: string, invocation: Invocation) {
    super(message);
    this.invocation = invocation;
  }
}

export type NarratorAnswer =
  /** Plan JSON, not yet trusted. Its `requestId`, `metadata` and `disabledSkills` are set by the runtime. */
  (
    | { kind: "plan"; plan: unknown }
    | {
        kind: "end";
        /** Markdown, shown after the narratives of this turn's plans. */
        narrative: string;
        choices: Choice[];
        memory: Json;
        /** The story is over: how it ended, for the tree of turns. */
        ending?: string;
      }
  ) & {
    /** For the log, when a module was asked. */
    invocation?: Invocation;
    /** For the log: what went wrong, where the player is told something kinder. */
    failure?: string;
  };
