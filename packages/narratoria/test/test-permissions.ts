/** Permissions that keep nothing and hold for every story, with the leave to run tools in no sandbox at all. */
import { KEEPS_NO_GRANTS } from "../src/runtime/policy/grant-book.ts";
import { createPermissions, type Permissions, type PermissionsOptions } from "../src/runtime/policy/permissions.ts";
import type { Policy } from "../src/runtime/policy/policy.ts";
import { createToolContents } from "../src/runtime/policy/tool-content.ts";

export function testPermissions(policy: Policy, options: Partial<PermissionsOptions> = {}): Permissions {
  return createPermissions({
    policy,
    policyHoldsFor: () => true,
    contents: createToolContents(),
    keeper: KEEPS_NO_GRANTS,
    level: "none",
    allowUnconfined: true,
    mayAsk: false,
    ...options,
  });
}
