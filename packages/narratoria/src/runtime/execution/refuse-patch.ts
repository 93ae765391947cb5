/** Why a state patch may not be applied: outside the tool's scope, or too large. What passes goes to the log. */
import { Buffer } from "node:buffer";
import type { JsonObject } from "@narratoria/tool/json";
import type { ErrorDetail } from "../../story/execution-result.ts";
import { growthBy, MOST_PATCH_BYTES, MOST_STATE_BYTES, type SizedState } from "../../story/state-size.ts";
import { findForbiddenWrite } from "../../story/write-scope.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

export function refusePatch(
  patch: JsonObject,
  text: string,
  tool: ResolvedTool,
  state: SizedState,
): ErrorDetail | null {
  const writes = tool.manifest?.writes ?? undefined;
  const place = findForbiddenWrite(patch, writes, state.value);
  if (place !== null) {
    const allowed = writes?.join(", ") || "nowhere";
    return forbidden("FORBIDDEN_WRITE", `the tool may not write ${place} (its manifest allows: ${allowed})`);
  }
  if (text.length > MOST_PATCH_BYTES / 4 && Buffer.byteLength(text) > MOST_PATCH_BYTES) {
    return forbidden("PATCH_TOO_LARGE", `a state patch may have ${MOST_PATCH_BYTES} bytes at most`);
  }
  if (state.size + growthBy(state.value, patch) > MOST_STATE_BYTES) {
    return forbidden("STATE_TOO_LARGE", `with this patch the state would be larger than ${MOST_STATE_BYTES} bytes`);
  }
  return null;
}

function forbidden(code: string, message: string): ErrorDetail {
  return { category: "forbidden", code, message };
}
