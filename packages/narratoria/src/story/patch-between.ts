/** The patch that makes one state of another: `mergePatch(before, patchBetween(before, after))` is `after`. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";

/** Of states that patches have made; a null that a story began with and nobody touched stays where it is. */
export function patchBetween(before: JsonObject, after: JsonObject): JsonObject {
  const patch: [string, Json][] = [];
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch.push([key, null]);
  for (const [key, value] of Object.entries(after)) {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    if (isJsonObject(was) && isJsonObject(value)) {
      const inner = patchBetween(was, value);
      if (Object.keys(inner).length > 0) patch.push([key, inner]);
    } else if (was === undefined || JSON.stringify(was) !== JSON.stringify(value)) patch.push([key, value]);
  }
  // Not assigned one by one: a key may be "__proto__".
  return Object.fromEntries(patch);
}
