/**
 * The session state as it was when a turn began. Ink plays a turn again after each plan, and what stands before a tool's
 * line must then read the state of that time: `{state("/torch/lit"): It burns already.}` may not come true by lighting it.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { NarratorQuestion } from "../runtime/narrator.ts";

export interface TurnStarts {
  stateOf(question: NarratorQuestion): JsonObject;
  forget(question: NarratorQuestion): void;
}

/** A turn that never ends (the player cancelled) leaves its entry behind; old ones make room. */
const MAX_TURNS = 1_000;

export function rememberTurnStarts(): TurnStarts {
  const states = new Map<string, JsonObject>();
  return {
    stateOf: (question) => {
      const key = keyOf(question);
      if (question.plans.length === 0) {
        states.set(key, question.context.state);
        for (const oldest of states.keys()) {
          if (states.size <= MAX_TURNS) break;
          states.delete(oldest);
        }
      }
      return states.get(key) ?? question.context.state;
    },
    forget: (question) => {
      states.delete(keyOf(question));
    },
  };
}

/** Turns at the same time differ in their random seed. */
function keyOf({ prompt, context }: NarratorQuestion): string {
  return `${context.seed} ${prompt ?? ""}`;
}
