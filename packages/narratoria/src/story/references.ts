/**
 * References in a tool's input, `{"$from": "toolId", "path": "/json/pointer"}`: the data flow between the tools of a
 * plan. `plan.ts` checks them before anything runs; `runtime/execution/attempt-tool.ts` fills them in when the tool starts.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { lookUp, parsePointer } from "./json-pointer.ts";
import { planProblem, type PlanProblem } from "./plan-problem.ts";

/**
 * The input with every reference replaced by what it leads to: null where that failed or is missing. Nothing is changed
 * in place, and what is filled in is not searched again: a tool's output cannot smuggle in a reference.
 * An input that is a reference itself becomes `{}` when that leads to no object.
 */
export function resolveReferences(input: JsonObject, outputs: ReadonlyMap<string, Json>): JsonObject {
  const root: JsonObject & { input: Json } = { input };
  const copies = new Set<Json>();
  for (const { path, object } of findReferences(input)) {
    // Every key written below is already an own property of the copy, so `__proto__` is a key like any other here.
    let container: JsonObject = root;
    let key = "input";
    for (const nextKey of path) {
      let child = container[key] as JsonObject;
      if (!copies.has(child)) {
        child = copyOf(child);
        copies.add(child);
        container[key] = child;
      }
      container = child;
      key = nextKey;
    }
    container[key] = valueOf(object, outputs);
  }
  return isJsonObject(root.input) ? root.input : {};
}

/** What is wrong with the references of one tool; `inputPath` is where its input stands in the plan. */
export function findReferenceProblems(
  input: JsonObject,
  dependencies: ReadonlySet<string | null>,
  inputPath: readonly PropertyKey[],
): PlanProblem[] {
  const problems: PlanProblem[] = [];
  for (const { path, object } of findReferences(input)) {
    const refuse = (key: string, message: string) =>
      problems.push(planProblem("BAD_REFERENCE", [...inputPath, ...path, key], message));
    const { $from: from, path: pointer = null } = object;
    if (typeof from !== "string") refuse("$from", "a reference names a tool by its toolId");
    else if (!dependencies.has(from)) refuse("$from", `"${from}" is not among this tool's dependencies`);
    if (pointer === null) continue;
    if (typeof pointer !== "string" || parsePointer(pointer) === null) refuse("path", "no JSON pointer");
  }
  return problems;
}

interface Reference {
  /** Where it stands in the input. */
  path: readonly string[];
  object: JsonObject;
}

function findReferences(input: JsonObject): Reference[] {
  const found: Reference[] = [];
  const pending: Place[] = [{ value: input, key: "", parent: null }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const { value } = place;
    if (typeof value !== "object" || value === null) continue;
    if (isJsonObject(value) && isReference(value)) {
      found.push({ path: pathOf(place), object: value });
    } else {
      for (const [key, child] of Object.entries(value)) pending.push({ value: child, key, parent: place });
    }
  }
  // Taken from the end of the list, they come last to first.
  return found.toReversed();
}

/** A linked list upwards: paths are written out only for the few places that hold a reference. */
interface Place {
  value: Json;
  key: string;
  parent: Place | null;
}

function pathOf(place: Place): string[] {
  const path: string[] = [];
  for (let at = place; at.parent !== null; at = at.parent) path.push(at.key);
  return path.toReversed();
}

/** Any other key makes it ordinary data. */
function isReference(object: JsonObject): boolean {
  return Object.hasOwn(object, "$from") && Object.keys(object).every((key) => key === "$from" || key === "path");
}

function valueOf(reference: JsonObject, outputs: ReadonlyMap<string, Json>): Json {
  const { $from: from, path = null } = reference;
  const output = typeof from === "string" ? outputs.get(from) : undefined;
  if (output === undefined) return null;
  const tokens = typeof path === "string" ? parsePointer(path) : [];
  return tokens === null ? null : (lookUp(output, tokens) ?? null);
}

/** Arrays stay arrays, though they are indexed like objects here. */
function copyOf(container: JsonObject): JsonObject {
  return Array.isArray(container) ? Object.assign([], container) : { ...container };
}
