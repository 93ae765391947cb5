/** One reason to reject a plan. `plan.ts`, `plan-graph.ts` and `references.ts` find them; the runtime judges paths. */
import { formatPointer } from "./json-pointer.ts";

export const PLAN_PROBLEM_CODES = [
  "CYCLE",
  "SELF_DEPENDENCY",
  "UNKNOWN_DEPENDENCY",
  "DUPLICATE_TOOL_ID",
  "DISABLED_SKILL",
  "BAD_REFERENCE",
  "PATH_FORBIDDEN",
  "BAD_VALUE",
  /** A hook said no. */
  "DENIED",
] as const;
export type PlanProblemCode = (typeof PLAN_PROBLEM_CODES)[number];

export interface PlanProblem {
  /** Where in the plan, as an RFC 6901 pointer. */
  pointer: string;
  code: PlanProblemCode;
  message: string;
}

export function planProblem(code: PlanProblemCode, path: readonly PropertyKey[], message: string): PlanProblem {
  return { pointer: formatPointer(path), code, message };
}
