/**
 * Who may do what: a tool asks in its manifest, a policy grants, and what is not granted is denied. The sandbox turns
 * grants into holes in its walls; `attempt-tool.ts` logs every decision and never starts a tool that was denied.
 */
import { isAbsolute } from "node:path";
import { isJsonObject, type Json } from "@narratoria/tool/json";
import type { ErrorDetail, SandboxLevel } from "../../story/execution-result.ts";
import { CAPABILITIES, isCapability, splitCapability } from "../../story/capabilities.ts";
import { formatPointer } from "../../story/json-pointer.ts";
import { isInside, realLocation } from "../mounts/real-location.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

export interface Policy {
  /** "full": refuse to run tools in anything less than the full sandbox. */
  sandbox: "full" | "any";
  grants: { readonly [mount: string]: readonly string[] };
}

export const NOTHING_GRANTED: Policy = { sandbox: "any", grants: {} };

export type PolicyReading =
  | { kind: "policy"; policy: Policy }
  | { kind: "invalid"; problems: { pointer: string; message: string }[] };

export function parsePolicy(value: Json): PolicyReading {
  if (!isJsonObject(value)) return { kind: "invalid", problems: [{ pointer: "", message: "must be an object" }] };
  const problems: { pointer: string; message: string }[] = [];
  const { sandbox = "any", grants = {}, ...unknown } = value;
  // A misspelt "sandbox" must not silently mean "any".
  for (const name of Object.keys(unknown)) {
    problems.push({ pointer: formatPointer([name]), message: "is no field of a policy; there are sandbox and grants" });
  }
  if (sandbox !== "full" && sandbox !== "any")
    problems.push({ pointer: "/sandbox", message: 'must be "full" or "any"' });
  if (!isJsonObject(grants)) problems.push({ pointer: "/grants", message: "must be an object" });
  else {
    for (const [mount, list] of Object.entries(grants)) {
      if (!Array.isArray(list) || !list.every((grant) => typeof grant === "string" && isCapability(grant))) {
        const message = `must be a list of capabilities (${CAPABILITIES.join(", ")}), each with an optional :scope`;
        problems.push({ pointer: formatPointer(["grants", mount]), message });
      }
    }
  }
  if (problems.length > 0) return { kind: "invalid", problems };
  return { kind: "policy", policy: { sandbox, grants } as Policy };
}

export interface Authorization {
  decisions: { capability: string; status: "allow" | "deny" }[];
  /** Why the tool may not be started; null when it may. */
  refusal: ErrorDetail | null;
}

export function authorize(tool: ResolvedTool, policy: Policy, level: SandboxLevel): Authorization {
  const granted = Object.hasOwn(policy.grants, tool.skill) ? (policy.grants[tool.skill] ?? []) : [];
  const decisions = tool.needs.map((capability) => ({
    capability,
    status: granted.some((grant) => covers(grant, capability)) ? ("allow" as const) : ("deny" as const),
  }));
  return { decisions, refusal: refusalFor(tool, decisions, policy, level) };
}

export function refusalFor(
  tool: ResolvedTool,
  decisions: Authorization["decisions"],
  policy: Policy,
  level: SandboxLevel,
): ErrorDetail | null {
  const denied = decisions.filter(({ status }) => status === "deny").map(({ capability }) => capability);
  if (denied.length > 0) {
    const message = `${tool.skill} needs ${denied.join(", ")}, which was not granted`;
    return { category: "forbidden", code: "FORBIDDEN", message };
  }
  if (policy.sandbox === "full" && level !== "full") {
    const message = `the policy asks for the full sandbox, and here it is "${level}"; narratoria doctor says why`;
    return { category: "forbidden", code: "SANDBOX_REQUIRED", message };
  }
  return null;
}

/** A grant without a scope covers every scope; a path covers what really lies below it, whatever its links and dots. */
export function covers(grant: string, capability: string): boolean {
  if (grant === capability) return true;
  const [name, scope] = splitCapability(capability);
  if (grant === name) return true;
  const [grantName, grantScope] = splitCapability(grant);
  if (grantName !== name || !name.startsWith("fs.") || !isAbsolute(scope) || !isAbsolute(grantScope)) return false;
  return isInside(realLocation(scope), realLocation(grantScope));
}
