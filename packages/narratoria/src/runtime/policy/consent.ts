/** Who has a say in whether a tool may start: the policy, the player where somebody can be asked, and hooks. */
import type { SandboxLevel } from "../../story/execution-result.ts";
import { UNGATED, type Consent, type ConsentAnswer, type ConsentRequest, type Decision } from "../seams/engine.ts";
import { NOBODY, type Player } from "../seams/player.ts";
import { KEEPS_NO_GRANTS } from "./grant-book.ts";
import { createPermissions, type Permissions } from "./permissions.ts";
import type { Policy } from "./policy.ts";
import { createToolContents } from "./tool-content.ts";

export function createConsent(
  permissions: Pick<Permissions, "decide">,
  storyDir: string,
  player: Player,
  gate: Consent["gate"],
): Consent {
  async function decide(
    { toolId, tool }: ConsentRequest,
    note: (decision: Decision) => void | Promise<void>,
  ): Promise<ConsentAnswer> {
    const { decisions, refusal, isStillSo } = await permissions.decide({ storyDir, tool, toolId }, player);
    for (const decision of decisions) await note(decision);
    return refusal === null ? { kind: "allowed", isStillSo } : { kind: "refused", ...refusal };
  }
  return { decide, gate };
}

export interface WithoutAsking {
  storyDir: string;
  policy: Policy;
  level: SandboxLevel;
  allowUnconfined: boolean;
}

/** Where there is nobody to ask and no hook: what the policy does not grant is denied. */
export function consentOf({ storyDir, policy, level, allowUnconfined }: WithoutAsking): Consent {
  const permissions = createPermissions({
    policy,
    policyHoldsFor: () => true,
    contents: createToolContents(),
    keeper: KEEPS_NO_GRANTS,
    level,
    allowUnconfined,
    mayAsk: false,
  });
  return createConsent(permissions, storyDir, NOBODY, () => Promise.resolve(UNGATED));
}
