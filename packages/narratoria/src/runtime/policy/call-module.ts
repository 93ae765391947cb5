/**
 * Calling a module that is no tool of a plan (a hook, a keeper of context, an orchestrator): whether it may be called,
 * with which secrets, and that none of them comes back, decided here once for all of them.
 */
import type { DraftOf } from "../../story/event.ts";
import type { ErrorDetail, SandboxLevel } from "../../story/execution-result.ts";
import type { ModuleCall, ModuleReply, Modules } from "../seams/modules.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import type { Permissions } from "./permissions.ts";
import { authorize } from "./policy.ts";
import { redact, secretsFor } from "./secrets.ts";

export interface ModuleCaller {
  /** What was decided about a mount, to be written down, and why it may not be called; null when it may. */
  judge(tool: ResolvedTool): { decisions: DraftOf<"policy:decision">[]; refusal: ErrorDetail | null };
  call(mount: { tool: ResolvedTool; storyDir: string }, call: ModuleCall, signal: AbortSignal): Promise<ModuleCalled>;
}

export interface ModuleCalled {
  reply: ModuleReply;
  durationMs: number;
}

export function createModuleCaller(
  modules: Modules,
  permissions: Pick<Permissions, "policy" | "grants">,
  level: SandboxLevel,
): ModuleCaller {
  function judge(tool: ResolvedTool): ReturnType<ModuleCaller["judge"]> {
    const policy = { ...permissions.policy, grants: permissions.grants() };
    const { decisions, refusal } = authorize(tool, policy, level);
    return {
      refusal,
      decisions: decisions.map(({ capability, status }) => ({
        event: "policy:decision",
        component: "policy",
        module: tool.skill,
        status,
        data: { capability },
      })),
    };
  }

  async function call(
    { tool, storyDir }: { tool: ResolvedTool; storyDir: string },
    asked: ModuleCall,
    signal: AbortSignal,
  ): Promise<ModuleCalled> {
    const { refusal } = judge(tool);
    if (refusal !== null) {
      return { reply: { kind: "error", error: { code: "forbidden", message: refusal.message } }, durationMs: 0 };
    }
    const secrets = secretsFor(tool.needs, process.env);
    const { reply, durationMs } = await modules.invoke({ tool, storyDir, secrets }, asked, signal);
    return { reply: redact(reply, secrets), durationMs };
  }
  return { judge, call };
}
