/** Holds what a module says about itself against what its mount says about it. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { covers } from "../runtime/policy/policy.ts";
import { isCapability } from "../story/capabilities.ts";
import type { ModuleDescriptor } from "../story/module-descriptor.ts";

/** Why a module is not what was mounted; null when it is. */
export function findContradiction(description: JsonObject, descriptor: ModuleDescriptor): string | null {
  for (const field of ["name", "kind", "version"] as const) {
    const mounted = descriptor[field];
    const said = description[field] ?? null;
    if (mounted !== undefined && said !== mounted) {
      return `the module says its ${field} is ${JSON.stringify(said)}, its mount says ${JSON.stringify(mounted)}`;
    }
  }
  const claimed = capabilitiesOf(description).filter(isCapability);
  const beyond = claimed.filter((claim) => !descriptor.capabilities.some((known) => covers(known, claim)));
  return beyond.length === 0 ? null : `the module claims ${beyond.join(", ")}, which its mount does not have`;
}

/** The JSON Schemas that an input must satisfy: the mount's and the module's own. */
export function inputSchemas(description: JsonObject, descriptor: ModuleDescriptor): JsonObject[] {
  return [descriptor.inputs, description["inputs"]].filter((schema) => isJsonObject(schema));
}

function capabilitiesOf(description: JsonObject): string[] {
  const claimed: Json | undefined = description["capabilities"];
  return Array.isArray(claimed) ? claimed.filter((claim) => typeof claim === "string") : [];
}
