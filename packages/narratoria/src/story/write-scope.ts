/** Where a tool may write: the manifest's `writes` pointers against a patch. `merge-patch.ts` applies what passes. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";

/** The first place a patch writes outside its scopes, as a JSON pointer; null when it stays inside. */
export function findForbiddenWrite(patch: JsonObject, writes: readonly string[] | undefined): string | null {
  if (writes === undefined) return null;
  const allowed = scopeTree(writes);
  const pending: [pointer: string, value: JsonObject, scope: Scope][] = [["", patch, allowed]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [pointer, object, scope] = next;
    if (scope.whole) continue;
    for (const key of Object.keys(object)) {
      const here = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const inner = scope.below.get(key);
      if (inner === undefined) return here;
      if (inner.whole) continue;
      const value = object[key] as Json;
      // Anything but an object would replace, or remove, what lies beside the allowed place.
      if (!isJsonObject(value)) return here;
      pending.push([here, value, inner]);
    }
  }
  return null;
}

interface Scope {
  whole: boolean;
  below: Map<string, Scope>;
}

function scopeTree(writes: readonly string[]): Scope {
  const root: Scope = { whole: false, below: new Map() };
  for (const pointer of writes) {
    let scope = root;
    for (const token of pointer.split("/").slice(1)) {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      const inner = scope.below.get(key) ?? { whole: false, below: new Map<string, Scope>() };
      scope.below.set(key, inner);
      scope = inner;
    }
    scope.whole = true;
  }
  return root;
}
