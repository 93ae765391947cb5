/**
 * What running a story needs to know of a session at its head: the state, what the narrator remembers and is told, how
 * skills are doing. Nothing of it is for showing (that is `session-view.ts`), and nothing that runs reads a view.
 * `fold-state.ts` keeps it current; `runtime/sessions/load-state.ts` makes it from what was stored, to the same value.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { OfferedChoice } from "./choices.ts";
import type { HealthRecord } from "./skill-health.ts";

export interface SessionState {
  readonly sessionId: string;
  readonly story: { readonly dir: string; readonly title: string; readonly version: string | null };
  /** The turn the session points at; null before the opening scene has begun. */
  readonly head: HeadTurn | null;
  /** The story's own state, and its size as `state-size.ts` counts. */
  readonly state: JsonObject;
  readonly stateSize: number;
  /** What the narrator gave to be remembered at the latest end of a turn. */
  readonly memory: Json;
  readonly health: HealthRecord;
  /** What callers wanted remembered, by key. */
  readonly context: ReadonlyMap<string, Json>;
  /** The skills the player wanted to be tried again, and in which turn. */
  readonly enabledSkills: ReadonlyMap<string, number>;
  /** What was told in the turns before the head, oldest first: the latest, as many as `tellings.ts` keeps. */
  readonly tellings: readonly Telling[];
  readonly ended: boolean;
  /** The last event this knows of. */
  readonly seq: number;
}

export const TURN_STATUSES = ["running", "completed", "cancelled", "failed", "interrupted"] as const;
export type TurnStatus = (typeof TURN_STATUSES)[number];

export interface HeadTurn {
  readonly turnId: string;
  readonly number: number;
  readonly status: TurnStatus;
  readonly prompt: string | null;
  /** Told so far: narratives of plans, then what the narrator said. */
  readonly texts: readonly string[];
  /** The last of them is being told, piece by piece. */
  readonly isTelling: boolean;
  /** What the player could choose when the turn began. */
  readonly choicesBefore: readonly OfferedChoice[];
  readonly choices: readonly OfferedChoice[];
}

/** A prompt and what was told in answer to it; they stay together, or are left out together. */
export interface Telling {
  readonly prompt: string | null;
  readonly narrative: string;
}

/** The keys of `context:set` that are the runtime's own. */
export const NARRATOR_MEMORY = "narrator";
export const ENABLED_SKILL = "enabled_skill";

export function emptyState(sessionId: string): SessionState {
  return {
    sessionId,
    story: { dir: "", title: "", version: null },
    head: null,
    state: {},
    stateSize: 2,
    memory: null,
    health: {},
    context: new Map(),
    enabledSkills: new Map(),
    tellings: [],
    ended: false,
    seq: 0,
  };
}
