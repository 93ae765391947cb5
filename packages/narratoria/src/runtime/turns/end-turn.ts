/** The ways a turn ends, each written with what belongs to it in one commit: a turn that was interrupted has remembered nothing. */
import type { Choice } from "@narratoria/tool/protocol";
import type { DraftOf, EventDraft } from "../../story/event.ts";
import { NARRATOR_MEMORY } from "../../story/session-state.ts";
import type { HealthRecord } from "../../story/skill-health.ts";
import type { NarratorAnswer } from "../seams/narrator.ts";
import { fallbackNarration } from "./fallback-narration.ts";
import type { TurnStart } from "./turn-start.ts";

export type TurnEnding = "completed" | "cancelled" | "interrupted" | "failed";

export interface TurnEnds {
  /** As the narrator says. */
  told(answer: Extract<NarratorAnswer, { kind: "end" }>, health: HealthRecord): TurnEnding;
  /** The player stopped it. */
  cancelled(health: HealthRecord): TurnEnding;
  /** A hook refused the prompt. */
  denied(reason: string, health: HealthRecord): TurnEnding;
  /** Nobody had anything to tell. */
  withFallback(isLate: boolean, health: HealthRecord): TurnEnding;
}

/** `choices` are those the player had before the turn; `append` writes events in one commit. */
export function createTurnEnds(
  { turnId, prompt, seed }: Pick<TurnStart, "turnId" | "prompt" | "seed">,
  choices: readonly Choice[],
  append: (drafts: readonly EventDraft[]) => void,
): TurnEnds {
  function write(
    status: "completed" | "cancelled",
    data: Omit<DraftOf<"turn:end">["data"], "turnId" | "health">,
    health: HealthRecord,
    besides: EventDraft[] = [],
  ): TurnEnding {
    const record = { turnId, ...data, health: { ...health } };
    append([...besides, { event: "turn:end", component: "runtime", status, data: record }]);
    return status;
  }

  return {
    told: (answer, health) => {
      const { narrative, memory, ending } = answer;
      const remembered: DraftOf<"context:set"> = {
        event: "context:set",
        component: "narrator",
        data: { key: NARRATOR_MEMORY, value: memory },
      };
      const data = { narrative, choices: answer.choices, ...(ending !== undefined && { ending }) };
      return write("completed", data, health, [remembered]);
    },
    // What the player could choose before is still what they can do.
    cancelled: (health) => {
      const notice = "You stopped this turn. What had happened by then has happened.";
      return write("cancelled", { narrative: "", choices: [...choices], notice }, health);
    },
    denied: (reason, health) => write("cancelled", { narrative: "", choices: [...choices], notice: reason }, health),
    withFallback: (isLate, health) => {
      const fallback = fallbackNarration(prompt, choices, seed);
      const notice = isLate ? { notice: "This took longer than a turn may." } : {};
      const { narrative } = fallback;
      return write("completed", { narrative, choices: fallback.choices, fallback: true, ...notice }, health);
    },
  };
}
