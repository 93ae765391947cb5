/**
 * Who may do what: a tool asks in its manifest, a policy grants, and what is not granted is denied. The sandbox turns
 * grants into holes in its walls; `attempt-tool.ts` logs every decision and never starts a tool that was denied.
 */
import { isAbsolute, resolve } from "node:path";
import { isJsonObject, type Json } from "@narratoria/tool/json";
import type { ErrorDetail } from "../../story/execution-result.ts";
import { CAPABILITIES, isCapability, splitCapability } from "../../story/capabilities.ts";
import { formatPointer } from "../../story/json-pointer.ts";
import { isInside, realLocation } from "../mounts/real-location.ts";
import type { Decision } from "../seams/engine.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

export interface Policy {
  /**
   * "full": no tool runs in anything less than the full sandbox. "any": all of them do. When a policy says nothing, only
   * built-in tools do, until the person at the machine has confirmed it for the story (`confinement.ts`).
   */
  sandbox: "full" | "full_unless_confirmed" | "any";
  grants: { readonly [mount: string]: readonly string[] };
}

export const NOTHING_GRANTED: Policy = { sandbox: "full_unless_confirmed", grants: {} };

export type PolicyReading =
  | { kind: "policy"; policy: Policy }
  | { kind: "invalid"; problems: { pointer: string; message: string }[] };

export function parsePolicy(value: Json): PolicyReading {
  if (!isJsonObject(value)) return { kind: "invalid", problems: [{ pointer: "", message: "must be an object" }] };
  const problems: { pointer: string; message: string }[] = [];
  const { sandbox, grants = {}, ...unknown } = value;
  // A misspelt "sandbox" must not silently mean nothing.
  for (const name of Object.keys(unknown)) {
    problems.push({ pointer: formatPointer([name]), message: "is no field of a policy; there are sandbox and grants" });
  }
  if (sandbox !== undefined && sandbox !== "full" && sandbox !== "any")
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
  return { kind: "policy", policy: { sandbox: sandbox ?? NOTHING_GRANTED.sandbox, grants } as Policy };
}

export function refusalForDenied(tool: ResolvedTool, decisions: readonly Decision[]): ErrorDetail | null {
  const denied = decisions.filter(({ status }) => status === "deny").map(({ capability }) => capability);
  if (denied.length === 0) return null;
  const message = `${tool.skill} needs ${denied.join(", ")}, which was not granted`;
  return { category: "forbidden", code: "FORBIDDEN", message };
}

/** Where the paths of both really lead from the story's folder is what counts. */
export function coversAny(grants: readonly string[], capability: string, storyDir: string): boolean {
  const needed = inRealPlace(capability, storyDir);
  return grants.some((grant) => covers(inRealPlace(grant, storyDir), needed));
}

/** The same capability with the real place in place of a path; as it is when it names none. */
export function inRealPlace(capability: string, storyDir: string): string {
  const [name, scope] = splitCapability(capability);
  const isPath = (name === "fs.read" || name === "fs.write") && scope !== "" && !scope.includes("\0");
  return isPath ? `${name}:${realLocation(resolve(storyDir, scope))}` : capability;
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
