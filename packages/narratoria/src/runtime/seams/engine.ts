/**
 * The seam where a turn executes a plan: an engine runs what of it has not been settled, here or on other machines, and
 * everything that happens goes into the plan's record. `engines/local.ts` is the one there is. What became of the plan is
 * the fold of what was written (`story/fold-result.ts`), whoever executed it.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { EventDraft, LineDraft, NarratoriaEvent } from "../../story/event.ts";
import type { ResultFold } from "../../story/fold-result.ts";
import type { SizedState } from "../../story/state-size.ts";
import type { Plan } from "../../story/plan.ts";
import type { LogEvent, ToolEvent } from "@narratoria/tool/protocol";
import type { ErrorDetail } from "../../story/execution-result.ts";
import type { TurnClocks } from "./deadlines.ts";
import type { Player } from "./player.ts";
import type { ResolvedTool, StoryIdentity } from "./resolved-tool.ts";

export interface Engine {
  /** Settles when every tool of the plan has; rejects only for what is ours (a full disk, a bug). */
  execute(order: PlanOrder, scene: PlanScene, signal: AbortSignal): Promise<void>;
}

export interface PlanOrder {
  readonly plan: Plan;
  /** By toolId. */
  readonly tools: ReadonlyMap<string, ResolvedTool>;
  /** Not to be run again. */
  readonly settled: ReadonlySet<string>;
  readonly record: PlanRecord;
}

/** What is written about a plan, and what has become of its tools so far: the one keeps the other current. */
export interface PlanRecord {
  readonly log: EventWriter;
  readonly results: ResultFold;
}

/** Where a plan takes place: whose it is, and who has a say. */
export interface PlanScene {
  readonly whose: Whose;
  readonly consent: Consent;
  readonly player: Player;
  readonly clocks: TurnClocks;
  /** What all tools of a turn may say together. */
  readonly limits: TurnLimits;
  /** The story's state as it is now. */
  state(): SizedState;
  /** The same, only to look at: it changes with the next patch. */
  glance(): SizedState;
}

export interface Whose {
  readonly story: StoryIdentity;
  /** Null outside of a session. */
  readonly sessionId: string | null;
}

export interface TurnLimits {
  /** Counts what a tool printed; says why it is too much, and then goes on saying so. */
  refuse(event: ToolEvent, text: string): ErrorDetail | null;
}

export interface EventWriter {
  /** Gives the event when it is written; a promise asks to wait for that. */
  emit(draft: EventDraft): NarratoriaEvent | Promise<NarratoriaEvent>;
  /** Log lines of one attempt, in one go. */
  emitLines(draft: LineDraft, lines: readonly PrintedLine[], progress: number | null): void | Promise<void>;
}

export interface PrintedLine {
  readonly text: string;
  readonly event: LogEvent;
}

/** Who has a say in whether a tool may start. */
export interface Consent {
  /** What a tool may have of what it needs: each decision is told as it is made, and asked for where somebody can be. */
  decide(request: ConsentRequest, note: (decision: Decision) => void | Promise<void>): Promise<ConsentAnswer>;
  /** Asks the hooks that have a say. */
  gate(proposal: Proposal): Promise<Verdict>;
}

export interface ConsentRequest {
  readonly toolId: string;
  readonly tool: ResolvedTool;
}

export interface Decision {
  capability: string;
  status: "allow" | "deny";
}

export type ConsentAnswer =
  /** `isStillSo`: whether the tool is what it was when it was allowed. To be asked right before each start. */
  { kind: "allowed"; isStillSo(): Promise<boolean> } | { kind: "refused"; code: string; message: string };

/** What is about to happen, as hooks are told it: JSON, made when there is a hook that wants to know. */
export interface Proposal {
  readonly event: "turn:start" | "plan:create" | "tool:start";
  describe(): JsonObject;
}

/** `changed` is the description as hooks have changed it; null when they left it as it was. */
export type Verdict = { kind: "pass"; changed: JsonObject | null } | { kind: "deny"; reason: string };

/** Nobody has a say. */
export const UNGATED: Verdict = { kind: "pass", changed: null };
