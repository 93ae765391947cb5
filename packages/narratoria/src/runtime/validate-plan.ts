/** Everything that must hold before a plan runs: its own form (`story/plan.ts`) and the tools it names. */
import type { Plan } from "../story/plan.ts";
import { parsePlan } from "../story/plan.ts";
import { planProblem, type PlanProblem } from "../story/plan-problem.ts";
import { resolveTool, type ResolvedTool, type ToolSources } from "./resolve-tool.ts";

export type PlanValidation =
  | { kind: "valid"; plan: Plan; tools: Map<string, ResolvedTool> }
  | { kind: "invalid"; problems: PlanProblem[] };

export function validatePlan(value: unknown, sources: ToolSources): PlanValidation {
  const reading = parsePlan(value, new Set(sources.mounts.keys()));
  if (reading.kind === "invalid") return reading;
  const tools = new Map<string, ResolvedTool>();
  const problems: PlanProblem[] = [];
  // A plan of thousands of tools names few paths: each is looked up once.
  const known = new Map<string, ReturnType<typeof resolveTool>>();
  reading.plan.tools.forEach(({ toolId, toolPath }, index) => {
    const resolution = known.get(toolPath) ?? resolveTool(toolPath, sources);
    known.set(toolPath, resolution);
    const place = ["tools", index, "toolPath"];
    switch (resolution.kind) {
      case "tool":
        tools.set(toolId, resolution.tool);
        break;
      case "path_forbidden":
        problems.push(planProblem("PATH_FORBIDDEN", place, resolution.message));
        break;
      case "bad_manifest":
        problems.push(planProblem("BAD_VALUE", place, resolution.message));
        break;
    }
  });
  return problems.length > 0 ? { kind: "invalid", problems } : { kind: "valid", plan: reading.plan, tools };
}
