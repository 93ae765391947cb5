/**
 * Calling a module that is no tool of a plan (a hook, a keeper of context, an orchestrator): whether it may be called is
 * decided here once for all of them; `equip-mount.ts` gives it its secrets, and keeps them.
 */
import type { DraftOf } from "../../story/event.ts";
import type { ErrorDetail } from "../../story/execution-result.ts";
import type { CallClock } from "../seams/clock.ts";
import type { ModuleCall, ModuleReply, Modules } from "../seams/modules.ts";
import type { Mounted } from "../seams/resolved-tool.ts";
import type { Permissions } from "./permissions.ts";
import { equip } from "./equip-mount.ts";

export interface ModuleCaller {
  /** What was decided about a mount, to be written down, and why it may not be called; null when it may. */
  judge(mount: Mounted): Promise<ModuleJudgement>;
  call(mount: Mounted, call: ModuleCall, signal: AbortSignal): Promise<ModuleCalled>;
}

export interface ModuleJudgement {
  decisions: DraftOf<"policy:decision">[];
  refusal: ErrorDetail | null;
}

export interface ModuleCalled {
  reply: ModuleReply;
  durationMs: number;
}

export function createModuleCaller(
  modules: Modules,
  permissions: Pick<Permissions, "judge">,
  clock: CallClock,
): ModuleCaller {
  async function judge(mount: Mounted): Promise<ModuleJudgement> {
    const { decisions, refusal } = await permissions.judge(mount);
    return {
      refusal,
      decisions: decisions.map(({ capability, status }) => ({
        event: "policy:decision",
        component: "policy",
        module: mount.tool.skill,
        status,
        data: { capability },
      })),
    };
  }

  async function call(mount: Mounted, asked: ModuleCall, signal: AbortSignal): Promise<ModuleCalled> {
    const { refusal } = await judge(mount);
    if (refusal !== null) {
      return { reply: { kind: "error", error: { code: "forbidden", message: refusal.message } }, durationMs: 0 };
    }
    const equipment = equip(mount);
    const { reply, durationMs } = await modules.invoke(equipment.mount, asked, clock, signal);
    return { reply: equipment.clean(reply), durationMs };
  }
  return { judge, call };
}
