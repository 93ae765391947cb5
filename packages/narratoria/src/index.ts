/**
 * The library: everything that a program, the command line and the server may use of Narratoria. What is not exported
 * here, by `data.ts`, `story/index.ts` or `server/index.ts` is nobody's business and may change any day.
 */
export {
  CannotOpen,
  openNarratoria,
  openPlanRunner,
  openToRead,
  type Narratoria,
  type PlanRunner,
  type Sessions,
} from "./library/open-narratoria.ts";
export type {
  BroughtNarrator,
  BroughtRunner,
  NarratoriaOptions,
  PlanRunnerOptions,
  TellingNarrator,
} from "./library/options.ts";
export { type EventsOptions } from "./library/read-events.ts";
export { type PlanRun, type RunPlanOptions } from "./library/run-plan.ts";
export { toldOf, type Told } from "./library/told.ts";
export { accepted } from "./library/accepted.ts";
export { recordTurns } from "./library/record-turns.ts";
export { describeMounts, type StoryMounts } from "./library/describe-mounts.ts";
export { examineMachine, type MachineFindings } from "./library/examine-machine.ts";
export { DEFAULT_STORY, shippedStories } from "./create-narratoria.ts";
export { VERSION } from "./version.ts";
export { webFolder } from "./installation.ts";

// Sessions.
export {
  isRefusal,
  type KeptAsset,
  type LogLine,
  type LogRange,
  type NamedSession,
  type NewSession,
  type PlanAndResult,
  type PromptOptions,
  type Said,
  type Provenance,
  type Refusal,
  type Removed,
  type SessionService,
  type SessionSummary,
  type Setting,
  type StorySummary,
  type StreamedEvent,
  type StreamReader,
  type Subscription,
  type TreeNode,
  type TurnRecord,
} from "./runtime/seams/session-service.ts";

// What a program may bring.
export type { CallClock, Clock } from "./runtime/seams/clock.ts";
export type { Engine, PlanOrder, PlanRecord, PlanScene } from "./runtime/seams/engine.ts";
export type {
  Narrator,
  NarratorAnswer,
  NarratorQuestion,
  NarratorTool,
  PlannedSoFar,
  Stage,
  StoryContext,
} from "./runtime/seams/narrator.ts";
export type { Program, ProcessExit, RunningProcess, Sandbox, ToolLimits } from "./runtime/seams/sandbox.ts";
export type { Damage, LogDetail, LogRecord, SessionRow, Store, StoredEvent, TurnRow } from "./runtime/seams/store.ts";
export type {
  AttemptOutcome,
  AttemptPort,
  AttemptReport,
  ReceivedEvent,
  TakeReply,
  ToolOffer,
} from "./runtime/seams/tool-runner.ts";
export type { EquippedMount, Mounted, ResolvedTool } from "./runtime/seams/resolved-tool.ts";
export type { MountedCall, MountRunner } from "./runners/mount-runner.ts";
export type { Story } from "./runtime/mounts/load-story.ts";
export type { StoryProblem } from "./runtime/mounts/story-problem.ts";

// What the command line and the server need besides.
export { MAX_MESSAGE_BYTES } from "./runners/module-client.ts";
export { decodeText } from "./runtime/mounts/decode-text.ts";
export { diskTroubleIn } from "./runtime/seams/disk-trouble.ts";
export { type DescriptorShares } from "./runtime/seams/descriptors.ts";
export { startChild } from "./runtime/seams/start-child.ts";

// Hooks, grants and policy.
export type { Gate, GateEvent, Hook, Observer } from "./runtime/policy/hooks.ts";
export { covers, NOTHING_GRANTED, parsePolicy, type Policy, type PolicyReading } from "./runtime/policy/policy.ts";
export type { MountSummary } from "./runtime/policy/mount-summaries.ts";
export type { Granted, ToolDirectory, ToolName } from "./runtime/policy/tool-directory.ts";
export type { RecordedCall, Recording } from "./runtime/execution/recording.ts";
