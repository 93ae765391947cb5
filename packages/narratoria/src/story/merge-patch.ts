/**
 * RFC 7396 merge patch over session state. `write-scope.ts` decides whether a patch may be applied at all.
 *
 * Invariants:
 * 1. Copy on write: the state is never changed, and a branch the patch does not name keeps its identity.
 * 2. Cost is linear in the patch and in the width of the objects it touches; the depth of either costs no stack. Where
 *    many patches follow each other the width is paid once: what one made, the next may change (`Owned`).
 * 3. `__proto__`, `constructor` and `prototype` are ordinary keys.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";

export function mergePatch(target: JsonObject | undefined, patch: JsonObject, owned?: Owned): JsonObject;
export function mergePatch(target: Json | undefined, patch: Json, owned?: Owned): Json;
export function mergePatch(target: Json | undefined, patch: Json, owned: Owned = new WeakSet()): Json {
  return isJsonObject(patch) ? merge(target, patch, "drop nulls", owned) : patch;
}

/**
 * Objects that merges have made and nobody else holds yet: the next merge changes them in place. Copying an object of
 * sixty thousand keys takes a tenth of a second, so a run of small patches must not pay that for each. Whoever gives a
 * state away goes on with a new set.
 */
export type Owned = WeakSet<object>;

/**
 * One patch that stands for `first` and then `second`. A removal stays a `null`. (Where `first` removes a value, or puts
 * a scalar or a list there, and `second` an object, no merge patch can say both: the result merges, not replaces.)
 */
export function composePatches(first: JsonObject, second: JsonObject): JsonObject {
  return merge(first, second, "keep nulls", new WeakSet());
}

/** The same into a patch that is the caller's own, made by this function from an empty one: nothing is copied. */
export function composeInto(whole: JsonObject, patch: JsonObject): void {
  fill(whole, patch, "keep nulls", (old) => (isJsonObject(old) ? old : {}));
}

function merge(
  target: Json | undefined,
  patch: JsonObject,
  nulls: "drop nulls" | "keep nulls",
  owned: Owned,
): JsonObject {
  function own(old: Json | undefined): JsonObject {
    if (isJsonObject(old) && owned.has(old)) return old;
    const mine = isJsonObject(old) ? { ...old } : {};
    owned.add(mine);
    return mine;
  }
  const result = own(target);
  fill(result, patch, nulls, own);
  return result;
}

/** `own` gives the object to change in place of an old value. */
function fill(
  whole: JsonObject,
  patch: JsonObject,
  nulls: "drop nulls" | "keep nulls",
  own: (old: Json | undefined) => JsonObject,
): void {
  const pending: [into: JsonObject, from: JsonObject][] = [[whole, patch]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [into, from] = pair;
    for (const key of Object.keys(from)) {
      const value = from[key] as Json;
      if (value === null && nulls === "drop nulls") {
        delete into[key];
      } else if (isJsonObject(value)) {
        const inner = own(Object.hasOwn(into, key) ? into[key] : undefined);
        setOwn(into, key, inner);
        pending.push([inner, value]);
      } else {
        setOwn(into, key, value);
      }
    }
  }
}

/** Assigning to `__proto__` would call its setter; spreading and JSON.parse make it an ordinary key, so must this. */
function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
