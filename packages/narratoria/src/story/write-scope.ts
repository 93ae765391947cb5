/** Where a tool may write: the manifest's `writes` pointers against a patch. `merge-patch.ts` applies what passes. */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import { formatPointer, parsePointer } from "./json-pointer.ts";

/** The first place found where a patch writes outside its scopes, as a JSON pointer; null when it stays inside. */
export function findForbiddenWrite(
  patch: JsonObject,
  writes: readonly string[] | undefined,
  state: JsonObject,
): string | null {
  if (writes === undefined) return null;
  const pending: Place[] = [{ path: [], patch, scope: scopeTree(writes), state }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (place.scope.whole) continue;
    for (const [key, value] of Object.entries(place.patch)) {
      const path = [...place.path, key];
      const scope = place.scope.below.get(key);
      if (scope === undefined) return formatPointer(path);
      if (scope.whole) continue;
      // Here the patch only passes through. Anything but an object would replace, or remove, what lies beside the
      // allowed place, and so would an object where the state has a scalar or a list.
      const old = Object.hasOwn(place.state, key) ? (place.state[key] ?? null) : null;
      if (!isJsonObject(value) || (old !== null && !isJsonObject(old))) return formatPointer(path);
      pending.push({ path, patch: value, scope, state: old ?? {} });
    }
  }
  return null;
}

interface Place {
  path: readonly string[];
  patch: JsonObject;
  scope: Scope;
  state: JsonObject;
}

interface Scope {
  whole: boolean;
  below: Map<string, Scope>;
}

function scopeTree(writes: readonly string[]): Scope {
  const root: Scope = { whole: false, below: new Map() };
  for (const pointer of writes) {
    const path = parsePointer(pointer);
    if (path === null) throw new Error(`not a JSON pointer: ${pointer}`);
    let scope = root;
    for (const key of path) {
      const inner = scope.below.get(key) ?? { whole: false, below: new Map<string, Scope>() };
      scope.below.set(key, inner);
      scope = inner;
    }
    scope.whole = true;
  }
  return root;
}
