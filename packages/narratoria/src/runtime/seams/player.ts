/** The seam to the player while a turn runs: who wants to know something asks here. `policy/asks.ts` keeps the desk. */
import type { EventOf } from "../../story/event.ts";

export type Question = Omit<EventOf<"ask:open">["data"], "askId" | "turnId">;

export interface Player {
  /** Null when there is nobody to ask, or no answer came: no answer means no. All limits of the turn stand still. */
  ask(question: Question): Promise<string | null>;
}

export const NOBODY: Player = { ask: () => Promise.resolve(null) };
