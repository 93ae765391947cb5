/** What the trace of a Python tool's attempt says, whichever runner made it, on failure as on success. */
import type { JsonObject } from "@narratoria/tool/json";
import type { ResolvedTool } from "../../runtime/seams/resolved-tool.ts";
import type { MountedCall } from "../mount-runner.ts";
import { PYTHON_PROTOCOL_VERSION } from "./response.ts";

export function traceOf(
  call: MountedCall,
  runner: "local" | "service" | "container",
  durationMs: number,
  own: JsonObject,
): JsonObject {
  return {
    runner,
    resolved_source: call.mount.tool.source,
    timeout_ms: call.timeoutMs,
    duration_ms: Math.round(durationMs),
    protocol_version: PYTHON_PROTOCOL_VERSION,
    ...own,
    ...packOf(call.mount.tool),
  };
}

/** A tool that did not come with the story: whose it is. */
function packOf({ source, skill, manifest, pack }: ResolvedTool): JsonObject {
  if (pack !== undefined) return { pack_id: pack.id, pack_name: pack.name, pack_version: pack.version };
  if (source === "binding") return {};
  const name = manifest?.name ?? skill;
  const id = source === "builtin_pack" ? `builtin:${name}` : name;
  return { pack_id: id, pack_name: name, pack_version: manifest?.version ?? null };
}

/** What a local or a container tool is sent. */
export function requestFor(call: MountedCall): JsonObject {
  const entry = call.mount.tool.manifest?.entry ?? null;
  return { protocol_version: PYTHON_PROTOCOL_VERSION, tool: call.mount.tool.skill, entry, payload: call.input };
}
