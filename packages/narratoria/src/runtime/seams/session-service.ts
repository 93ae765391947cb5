/**
 * What can be done with sessions: the one interface that the server, the terminal and MCP stand on. `sessions/`
 * implements it. Everything is asynchronous, so that a session may one day live on another machine; yet nothing comes
 * between the check and the write of one call. Expected refusals are values; only bugs throw.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { NarratoriaEvent, RejectedPlan } from "../../story/event.ts";
import type { ExecutionResult } from "../../story/execution-result.ts";
import type { Plan } from "../../story/plan.ts";
import type { PlanProblem } from "../../story/plan-problem.ts";
import type { LogDetail } from "./store.ts";
import type { TurnStatus } from "../../story/session-state.ts";
import type { SessionView, TurnView } from "../../story/session-view.ts";

export interface SessionService {
  stories(): Promise<StorySummary[]>;
  list(): Promise<SessionSummary[]>;
  /** Starts a session and its opening turn. Without a story: the default one. */
  create(options: NewSession): Promise<{ sessionId: string } | Refusal>;
  view(sessionId: string): Promise<SessionView | Refusal>;
  /** Accepts a prompt, or one of the choices that are open, and starts its turn. */
  prompt(sessionId: string, said: Said, how?: PromptOptions): Promise<{ turnId: string } | Refusal>;
  /** Another take of a turn, by default the head. */
  retry(sessionId: string, turnId?: string): Promise<{ turnId: string } | Refusal>;
  undo(sessionId: string): Promise<SessionView | Refusal>;
  moveHead(sessionId: string, turnId: string): Promise<SessionView | Refusal>;
  /** A new session whose head is that turn. */
  fork(sessionId: string, turnId: string, title?: string): Promise<{ sessionId: string } | Refusal>;
  /** Stops the running turn, if any, and waits for its end. */
  cancel(sessionId: string): Promise<SessionView | Refusal>;
  resume(sessionId: string, turnId: string): Promise<SessionView | Refusal>;
  discard(sessionId: string, turnId: string): Promise<SessionView | Refusal>;
  rename(sessionId: string, title: string): Promise<SessionView | Refusal>;
  /** Null removes the bookmark. */
  bookmark(sessionId: string, turnId: string, name: string | null): Promise<SessionView | Refusal>;
  /** What the session was told to remember under a key; null when nothing was. */
  getContext(sessionId: string, key: string): Promise<{ key: string; value: Json } | Refusal>;
  setContext(sessionId: string, key: string, value: Json): Promise<{ key: string; value: Json } | Refusal>;
  /** Tries a skill again that was disabled because it kept failing. */
  enableSkill(sessionId: string, skill: string): Promise<SessionView | Refusal>;
  end(sessionId: string, reason: string): Promise<SessionView | Refusal>;
  /** The sessions that were forked from it, or from one that was: they begin with its turns. */
  forksOf(sessionId: string): Promise<NamedSession[] | Refusal>;
  /**
   * The only deletion there is. Of a session that others were forked from, the turns they begin with stay, hidden, and go
   * with the last of them. A purge deletes those too, also of a session that is hidden already: the forks go on with the
   * state, and without what was told before them.
   */
  remove(sessionId: string, isPurge?: boolean): Promise<Removed | Refusal>;
  answer(sessionId: string, askId: string, value: string): Promise<{ answered: true } | Refusal>;
  /** Everything about one turn: for traces and developer views. */
  turn(sessionId: string, turnId: string): Promise<TurnRecord | Refusal>;
  /** How a turn ended, as soon as it has; an interrupted one counts as ended. */
  turnEnded(sessionId: string, turnId: string): Promise<TurnStatus | Refusal>;
  /** The state as it was after a turn. */
  stateAt(sessionId: string, turnId: string): Promise<{ turnId: string; state: JsonObject } | Refusal>;
  /** Every turn of the session's tree, without their texts. */
  tree(sessionId: string): Promise<TreeNode[] | Refusal>;
  why(sessionId: string, path: string): Promise<Provenance | Refusal>;
  /** Log lines of one attempt, by their place among its log lines. */
  logs(sessionId: string, spanId: string, range: LogRange): Promise<LogLine[] | Refusal>;
  /**
   * The session's events after a number, in order: first what is stored, then what happens, each exactly once. Log
   * lines come one by one unless runs of them are asked for. A number the session has not come to yet is of another
   * life of its log: then everything comes, from the beginning, and its first number tells the reader so.
   */
  follow(sessionId: string, after: number, reader: StreamReader, logs?: LogDetail): Promise<Subscription | Refusal>;
  /** Settles when no turn of the session is running. */
  idle(sessionId: string): Promise<void>;
  asset(id: string): Promise<KeptAsset | Refusal>;
  /** One file that another machine opens to the same state. */
  export(sessionId: string): Promise<AsyncIterable<Uint8Array> | Refusal>;
  /** `storyDir`: the story that a person says it is played with; without it the session can only be read. */
  import(file: AsyncIterable<Uint8Array>, storyDir?: string): Promise<{ sessionId: string } | Refusal>;
  /** Ends running turns (they count as interrupted), says goodbye to readers, and closes the store. */
  close(): Promise<void>;
}

/** What was typed, or which choice was taken: labels may be equal, ids are not. */
export type Said = string | { choiceId: string };

export interface PromptOptions {
  /** Makes the turn a sibling of that parent's other turns: an edit, another take. By default it follows the head. */
  parentTurnId?: string | undefined;
  /** What the sender calls this prompt: sent again with the same key it is the same turn, not another. */
  key?: string | undefined;
}

export interface NewSession {
  storyDir?: string | undefined;
  title?: string | undefined;
  goal?: string | undefined;
  inputs?: JsonObject | undefined;
}

export interface NamedSession {
  sessionId: string;
  title: string;
}

export interface Removed {
  removed: true;
  /** What stays of it, and for whom; null when nothing does. */
  kept: { turns: number; neededBy: NamedSession[] } | null;
  /** With a purge: those that go on without the turns they began with. */
  shortened: NamedSession[];
}

export interface KeptAsset {
  file: string;
  mediaType: string;
  bytes: number;
}

export interface Refusal {
  kind: "refused";
  code: "not_found" | "conflict" | "bad_request";
  message: string;
  details?: JsonObject;
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "refused";
}

/** Who follows a session's stream. */
export interface StreamReader {
  /** Return false when full: nothing more comes until `Subscription.resume` is called. */
  take(event: StreamedEvent): boolean;
  /** The session or the host is going away. */
  closed(): void;
}

/** An event on its way to readers: encoded once for all of them, parsed only when one looks inside. */
export interface StreamedEvent {
  readonly seq: number;
  /** One line. */
  readonly json: string;
  event(): NarratoriaEvent;
}

export interface Subscription {
  resume(): void;
  close(): void;
}

export interface StorySummary {
  dir: string;
  title: string;
  author: string | null;
  description: string | null;
}

export interface SessionSummary {
  sessionId: string;
  title: string;
  storyTitle: string;
  storyDir: string;
  turnCount: number;
  createdAt: number;
  updatedAt: number;
  ended: boolean;
  parentSessionId: string | null;
  /** The turn of the parent it went on from. */
  forkTurnId: string | null;
  /** The last words told, shortened. */
  excerpt: string;
}

export interface TreeNode {
  turnId: string;
  parentTurnId: string | null;
  number: number;
  prompt: string | null;
  status: TurnStatus;
  ending: string | null;
  bookmark: string | null;
  isOnHeadPath: boolean;
  startedAt: number;
}

export interface TurnRecord {
  turn: TurnView;
  /** In order; a rejected one has problems, and only an executed one a result. */
  plans: PlanAndResult[];
  /** The turn's events; log lines only as counts (`logs` reads them). */
  trace: NarratoriaEvent[];
}

export type PlanAndResult =
  | { plan: Plan; result: ExecutionResult }
  | { plan: RejectedPlan; problems: PlanProblem[]; result: null }
  /** It was running when the turn was interrupted, or still is. */
  | { plan: Plan; result: null };

export interface Provenance {
  path: string;
  value: Json | null;
  setBy: Setting | null;
  /** Earlier settings, newest first. */
  before: (Setting & { value: Json | null })[];
}

export interface Setting {
  turnId: string | null;
  planId: string | null;
  toolId: string | null;
  skill: string | null;
  attempt: number | null;
  eventId: string;
  prompt: string | null;
}

export interface LogRange {
  from: number;
  count: number;
  /** Longer messages are cut to so many characters, and come without fields: a line may have megabytes. */
  width?: number | undefined;
}

export interface LogLine {
  seq: number;
  number: number;
  ts: number;
  level: string;
  message: string;
  fields: JsonObject | null;
  /** How long the message is in all; present when it was cut. */
  length?: number | undefined;
}
