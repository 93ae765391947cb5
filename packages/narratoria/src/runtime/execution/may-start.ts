/** Whether a tool may be started: what the policy grants, what the player allows, and what gates have to say. */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import type { ErrorDetail } from "../../story/execution-result.ts";
import type { ExecutionContext } from "./execute-plan.ts";
import { authorize, refusalFor, type Authorization } from "../policy/policy.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

/** One `policy:decision` for every capability the tool needs. Null when it may be started. */
export async function askForPermission(
  toolId: string,
  planId: string,
  tool: ResolvedTool,
  context: ExecutionContext,
): Promise<ErrorDetail | null> {
  const { policy, sandboxLevel } = context;
  const about = { component: "policy", module: tool.skill, request_id: planId } as const;
  const decisions: Authorization["decisions"] = [];
  for (const { capability, status: granted } of authorize(tool, policy, sandboxLevel).decisions) {
    const status = granted === "deny" ? await askThePlayer(toolId, capability, tool, context) : granted;
    decisions.push({ capability, status });
    await context.emit({ event: "policy:decision", status, data: { capability, toolId }, ...about });
  }
  return refusalFor(tool, decisions, policy, sandboxLevel);
}

async function askThePlayer(
  toolId: string,
  capability: string,
  { skill, command, manifest }: ResolvedTool,
  context: ExecutionContext,
): Promise<"allow" | "deny"> {
  const description = manifest?.description ?? null;
  return (await context.permit?.({ skill, toolId, capability, command, description })) ?? "deny";
}

export type GateAnswer = { kind: "go"; input: JsonObject } | { kind: "denied"; error: ErrorDetail };

/** What a hook says counts for every attempt. It may change the input. */
export async function askGates(
  about: { toolId: string; skill: string; attempt: number; input: JsonObject },
  context: ExecutionContext,
): Promise<GateAnswer> {
  if (context.gate === undefined) return { kind: "go", input: about.input };
  const verdict = await context.gate("tool:start", { ...about });
  if (verdict.kind === "deny") {
    return { kind: "denied", error: { category: "forbidden", code: "DENIED", message: verdict.reason } };
  }
  return { kind: "go", input: isJsonObject(verdict.data["input"]) ? verdict.data["input"] : about.input };
}
