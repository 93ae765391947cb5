/** Everything that must hold before a plan runs: its own form (`story/plan.ts`) and the tools it names. */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import type { Plan } from "../../story/plan.ts";
import { parsePlan } from "../../story/plan.ts";
import { planProblem, type PlanProblem } from "../../story/plan-problem.ts";
import { resolveTool, type ToolResolution, type ToolSources } from "../mounts/resolve-tool.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

export type PlanValidation =
  | { kind: "valid"; plan: Plan; tools: Map<string, ResolvedTool> }
  | { kind: "invalid"; problems: PlanProblem[] };

export function validatePlan(value: unknown, sources: ToolSources): PlanValidation {
  const reading = parsePlan(value, new Set(sources.mounts.keys()));
  // The paths are judged also when something else is wrong: whoever wrote the plan hears of everything at once.
  const resolutions = resolveTools(value, sources);
  const problems = reading.kind === "invalid" ? [...reading.problems] : [];
  resolutions.forEach((resolution, index) => {
    if (resolution === null || resolution.kind === "tool") return;
    const code = resolution.kind === "path_forbidden" ? "PATH_FORBIDDEN" : "BAD_VALUE";
    problems.push(planProblem(code, ["tools", index, "toolPath"], resolution.message));
  });
  if (reading.kind === "invalid" || problems.length > 0) return { kind: "invalid", problems };
  const tools = new Map<string, ResolvedTool>();
  reading.plan.tools.forEach(({ toolId }, index) => {
    const resolution = resolutions[index];
    if (resolution?.kind === "tool") tools.set(toolId, resolution.tool);
  });
  return { kind: "valid", plan: reading.plan, tools };
}

/** Paths that are no mounts: looking each up reads files. */
const MOST_PATHS = 100;
const TOO_MANY: ToolResolution = {
  kind: "path_forbidden",
  message: `a plan names at most ${MOST_PATHS} tools by their paths; mount the others`,
};

/** One for each entry of the plan's tools; null where there is no path to judge. */
function resolveTools(plan: unknown, sources: ToolSources): (ToolResolution | null)[] {
  const tools = isJsonObject(plan) && Array.isArray(plan["tools"]) ? plan["tools"] : [];
  // A plan of thousands of tools names few paths: each is looked up once.
  const known = new Map<string, ToolResolution>();
  return tools.map((tool) => {
    const toolPath = isJsonObject(tool) ? tool["toolPath"] : null;
    if (typeof toolPath !== "string" || toolPath === "") return null;
    const found = known.get(toolPath);
    if (found !== undefined) return found;
    if (sources.mounts.has(toolPath)) return resolveTool(toolPath, sources);
    if (known.size >= MOST_PATHS) return TOO_MANY;
    const resolution = resolveTool(toolPath, sources);
    known.set(toolPath, resolution);
    return resolution;
  });
}

/** A plan as others are told it, who may change it: a copy, of nothing but JSON. */
export function planAsJson(plan: Plan): JsonObject {
  return JSON.parse(JSON.stringify(plan)) as JsonObject;
}
