/**
 * What a session looks like: the shape every view shows, on the server, in the browser and in the terminal.
 * `fold-view.ts` makes it from events; the host makes it from what was kept, which must come to the same.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { OfferedChoice } from "./choices.ts";
import type { EventOf } from "./event.ts";
import type { AssetRecord, ErrorDetail } from "./execution-result.ts";
import type { TurnStatus } from "./session-state.ts";

export interface SessionView {
  sessionId: string;
  title: string;
  story: { dir: string; title: string; version: string | null };
  /** Null before the opening scene has begun. */
  headTurnId: string | null;
  /** The way from the oldest turn that is loaded to the head, in order. */
  turns: TurnView[];
  /** How many turns lie on the way from the beginning to the head; more than `turns.length` when the oldest are not loaded. */
  turnCount: number;
  /** At the head. */
  state: JsonObject;
  choices: OfferedChoice[];
  /** Questions to the player that wait for an answer. */
  asks: AskView[];
  bookmarks: { [turnId: string]: string };
  ended: boolean;
  /** The last event this view knows of. */
  seq: number;
}

export interface TurnView {
  turnId: string;
  parentTurnId: string | null;
  /** 0 is the opening scene. */
  number: number;
  /** Null for the opening scene. */
  prompt: string | null;
  status: TurnStatus;
  startedAt: number;
  endedAt: number | null;
  /** What the player reads, in order. */
  passages: Passage[];
  plans: PlanView[];
  tools: ToolView[];
  choices: OfferedChoice[];
  /** Set when the story ended here. */
  ending: string | null;
  /** Why it failed or was cancelled, in words for a player. */
  notice: string | null;
  /** The takes of this moment: the turns with the same parent, oldest first, this one among them. */
  takes: string[];
}

export type Passage =
  /** Told piece by piece, it may still grow until it is whole. */
  | { kind: "text"; text: string; isTold?: true; isWhole?: true }
  | { kind: "changes"; toolId: string; eventId: string; changes: Change[] }
  | { kind: "asset"; asset: AssetView }
  /** A ui_event we do not know, or whose payload we do not understand. */
  | { kind: "placeholder"; toolId: string; event: string; payload: Json }
  | { kind: "problem"; toolId: string; code: string; message: string };

export interface Change {
  path: string;
  /** Absent: there was nothing. */
  before?: Json;
  /** Absent: it was removed. */
  after?: Json;
}

export interface AssetView extends AssetRecord {
  /** Its address under /api/assets/, when stored. */
  id: string | null;
}

export interface PlanView {
  planId: string;
  narrative: string;
  generationAttempt: number;
  parentPlanId: string | null;
  disabledSkills: string[];
  status: "rejected" | "running" | "completed" | "failed";
  toolIds: string[];
  dependencies: { [toolId: string]: string[] };
  problems: { pointer: string; code: string; message: string }[];
}

export interface ToolView {
  planId: string;
  toolId: string;
  skill: string;
  status: "pending" | "waiting" | "running" | "retrying" | "completed" | "failed" | "skipped" | "timeout";
  attempt: number;
  maxAttempts: number;
  /** 0 to 1, when the tool tells. */
  progress: number | null;
  /** The latest log line, as much of it as a line on a screen can show. */
  message: string | null;
  summary: string | null;
  error: ErrorDetail | null;
  logCount: number;
  startedAt: number | null;
  durationMs: number | null;
  sandbox: string | null;
  attempts: AttemptView[];
}

export interface AttemptView {
  spanId: string;
  status: string;
  startedAt: number;
  durationMs: number | null;
  exitCode: number | null;
  logCount: number;
}

/** A question to the player: what is asked, why, and what may be answered. */
export type AskView = EventOf<"ask:open">["data"];
