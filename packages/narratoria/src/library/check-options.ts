/** What a program brings is looked at before anything is opened: a mistake is named at once, not met in the middle of a story. */
import type { Json } from "@narratoria/tool/json";
import { parsePolicy } from "../runtime/policy/policy.ts";
import { TOOL_PROTOCOLS } from "../story/module-descriptor.ts";
import type { NarratoriaOptions, PlanRunnerOptions } from "./options.ts";

/** Null, or what is wrong with the value, in words that go on behind the option's name. */
type Objection = (value: unknown) => string | null;

const PLAN_RUNNER: { [name in keyof Required<PlanRunnerOptions>]: Objection } = {
  dataDir: isPath,
  sandbox: (value) => (value === "best" || value === "none" ? null : brings(["launch", "close"])(value)),
  policy: objectToPolicy,
  slots: (value) => (Number.isInteger(value) && Number(value) > 0 ? null : "must be a whole number from 1 on"),
  runners: objectToRunners,
  engine: brings(["execute"]),
  clock: brings(["now", "elapsed", "sleep", "after"]),
  newId: isFunction,
};

const NARRATORIA: { [name in keyof Required<NarratoriaOptions>]: Objection } = {
  ...PLAN_RUNNER,
  stories: objectToStories,
  narrators: eachIn((_name, open) => isFunction(open)),
  store: brings(["append", "sessions", "runningTurns", "close"]),
  mayAsk: isYesOrNo,
  policyHoldsFor: isFunction,
  allowUnconfined: isYesOrNo,
  allowStoryFolder: isYesOrNo,
  tell: isFunction,
};

/** Throws a TypeError: it is the program that is wrong. */
export function checkNarratoriaOptions(options: NarratoriaOptions): void {
  check(options, NARRATORIA);
}

export function checkPlanRunnerOptions(options: PlanRunnerOptions): void {
  check(options, PLAN_RUNNER);
}

function check(options: unknown, objections: Readonly<Record<string, Objection>>): void {
  if (!isObject(options)) throw new TypeError("the options must be an object");
  for (const [name, value] of Object.entries(options)) {
    const object = Object.hasOwn(objections, name) ? objections[name] : undefined;
    if (object === undefined) {
      throw new TypeError(`there is no option ${name}; there are ${Object.keys(objections).join(", ")}`);
    }
    const objection = value === undefined ? null : object(value);
    if (objection !== null) throw new TypeError(`the option ${name} ${objection}`);
  }
}

function isPath(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? null : "must be the path of a folder";
}

function isFunction(value: unknown): string | null {
  return typeof value === "function" ? null : "must be a function";
}

function isYesOrNo(value: unknown): string | null {
  return typeof value === "boolean" ? null : "must be true or false";
}

/** By its methods: it may be of any class. */
function brings(methods: readonly string[]): Objection {
  return (value) => {
    const missing = isObject(value) ? methods.filter((name) => typeof value[name] !== "function") : methods;
    return missing.length === 0 ? null : `must be an object with ${missing.map((name) => `${name}()`).join(" and ")}`;
  };
}

function eachIn(object: (name: string, value: unknown) => string | null): Objection {
  return (value) => {
    if (!isObject(value)) return "must be an object";
    for (const [name, each] of Object.entries(value)) {
      const objection = each === undefined ? null : object(name, each);
      if (objection !== null) return `has ${name}, which ${objection}`;
    }
    return null;
  };
}

function objectToRunners(value: unknown): string | null {
  const protocols: readonly string[] = TOOL_PROTOCOLS;
  const isKnown = `is none of the protocols there are: ${protocols.join(", ")}`;
  return eachIn((protocol, runner) => (protocols.includes(protocol) ? brings(["run"])(runner) : isKnown))(value);
}

function objectToStories(value: unknown): string | null {
  const isList = Array.isArray(value) && value.length > 0 && value.every((folder) => isPath(folder) === null);
  return isList ? null : "must be a list of folders, of one at least";
}

function objectToPolicy(value: unknown): string | null {
  if (!isObject(value)) return "must be an object";
  // What nobody wrote into a policy file, but a program has in its hands.
  const { sandbox, ...rest } = value;
  const read = parsePolicy((sandbox === "full_unless_confirmed" ? rest : value) as Json);
  if (read.kind === "policy") return null;
  const [problem] = read.problems;
  return `has ${problem?.pointer}, which ${problem?.message}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
