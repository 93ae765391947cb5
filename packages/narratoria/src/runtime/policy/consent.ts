/** Who has a say in whether a tool may start: the policy, the player where somebody can be asked, and hooks. */
import type { SandboxLevel } from "../../story/execution-result.ts";
import { UNGATED, type Consent, type ConsentAnswer, type ConsentRequest, type Decision } from "../seams/engine.ts";
import { NOBODY, type Player } from "../seams/player.ts";
import { createPermissions, type Permissions } from "./permissions.ts";
import { refusalFor, type Policy } from "./policy.ts";

export function createConsent(
  permissions: Permissions,
  level: SandboxLevel,
  player: Player,
  gate: Consent["gate"],
): Consent {
  async function decide(
    { toolId, tool }: ConsentRequest,
    note: (decision: Decision) => void | Promise<void>,
  ): Promise<ConsentAnswer> {
    const { skill, command, manifest, needs } = tool;
    const description = manifest?.description ?? null;
    const decisions: Decision[] = [];
    for (const capability of needs) {
      const status = await permissions.decide({ skill, toolId, capability, command, description }, player);
      decisions.push({ capability, status });
      await note({ capability, status });
    }
    const refusal = refusalFor(tool, decisions, permissions.policy, level);
    return refusal === null ? { kind: "allowed" } : { kind: "refused", ...refusal };
  }
  return { decide, gate };
}

/** Where there is nobody to ask and no hook: what the policy does not grant is denied. */
export function consentOf(policy: Policy, level: SandboxLevel): Consent {
  const keepsNothing = { load: () => ({}), save: () => {} };
  return createConsent(createPermissions(policy, keepsNothing, false), level, NOBODY, () => Promise.resolve(UNGATED));
}
