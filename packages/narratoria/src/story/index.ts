/**
 * The pure part, for programs and pages alike: what plans, events and results look like, and how views are folded from
 * events. Nothing here needs Node.
 */
export { parsePlan, planSchema, type Plan, type PlanReading, type PlanTool, type RetryPolicy } from "./plan.ts";
export { type PlanProblem, type PlanProblemCode } from "./plan-problem.ts";
export {
  complete,
  createSchedule,
  isFinished,
  ready,
  skipUnstarted,
  start,
  type Schedule,
  type ToolFate,
} from "./schedule.ts";
export { composePatches, mergePatch } from "./merge-patch.ts";
export { formatPointer, lookUp, parsePointer } from "./json-pointer.ts";
export { jsonObjectSchema, jsonSchema } from "./json-value-schema.ts";

export {
  COMPONENTS,
  EVENT_NAMES,
  eventSchema,
  patchOf,
  type EventName,
  type EventOf,
  type NarratoriaEvent,
  type RejectedPlan,
} from "./event.ts";
export {
  ERROR_CATEGORIES,
  executionResultSchema,
  SANDBOX_LEVELS,
  type AssetRecord,
  type AttemptRecord,
  type ErrorCategory,
  type ErrorDetail,
  type ExecutionResult,
  type SandboxLevel,
  type ToolResult,
  type ToolState,
} from "./execution-result.ts";
export { createResultFold, type ResultFold } from "./fold-result.ts";
export { foldState } from "./fold-state.ts";
export { emptyState, type HeadTurn, type SessionState, type Telling, type TurnStatus } from "./session-state.ts";
export { emptyView, foldView, leavesTheView } from "./fold-view.ts";
export {
  type AskView,
  type AssetView,
  type AttemptView,
  type Change,
  type Passage,
  type PlanView,
  type SessionView,
  type ToolView,
  type TurnView,
} from "./session-view.ts";

export {
  MODULE_KINDS,
  parseDescriptor,
  TOOL_PROTOCOLS,
  type DescriptorProblem,
  type DescriptorReading,
  type ModuleDescriptor,
  type ModuleKind,
  type ToolProtocol,
} from "./module-descriptor.ts";
export { type OfferedChoice } from "./choices.ts";
export { storyFileSchema, type StoryFile, type Voice } from "./story-file.ts";
export { toolEventSchema } from "./tool-event-schema.ts";
export { CAPABILITIES, isCapability } from "./capabilities.ts";

export { wordsForCapability } from "./capability-words.ts";
export { wordsForLevel } from "./level-words.ts";
export { wordsForDuration, wordsForRetry } from "./plain-words.ts";
export { shownName, shownPath, shownPlain } from "./shown-name.ts";
