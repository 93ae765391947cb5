/**
 * Plans, as `validatePlan` judges them: what it lets through fits the published contract, has no cycle, and runs only
 * what may run; what it refuses has reasons that point into the plan.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, readJson, type Json, type JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import { planAsJson, validatePlan } from "../../src/runtime/execution/validate-plan.ts";
import { findMounts } from "../../src/runtime/mounts/mounts.ts";
import { isInside, realLocation } from "../../src/runtime/mounts/real-location.ts";
import type { ToolSources } from "../../src/runtime/mounts/resolve-tool.ts";
import { lookUp, parsePointer } from "../../src/story/json-pointer.ts";
import { PLAN_PROBLEM_CODES } from "../../src/story/plan-problem.ts";
import type { Plan } from "../../src/story/plan.ts";
import { skillNameOf } from "../../src/story/skill-name.ts";
import { contractValidator } from "../contract-validators.ts";
import { damaged } from "../mutated-json.ts";
import { sometimesSpoiled, spoiled } from "./mutate-bytes.ts";
import { must, mustBeSame, mustBeWords, type FuzzTarget } from "./target.ts";

export const plans: FuzzTarget = {
  few: 900,
  open: async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-fuzz-")));
    const sources = makeSources(root);
    return {
      inputs: fc.oneof({ weight: 3, arbitrary: sometimesSpoiled(documents) }, spoiled(SEEDS)),
      try: (input) => tryPlan(input, sources, root),
      close: async () => rmSync(root, { recursive: true, force: true }),
    };
  },
};

const IDS = ["a", "b", "c", "__proto__", "constructor", ""];
const PATHS = ["lamp", "tools/bell", "tools/bell/../bell", "tools/box", "tools/broken", "skills/x/y", "tools/nothing"];
const BAD_PATHS = [
  "out",
  "out/rm",
  "/bin/rm",
  "../../bin/rm",
  "pipe",
  "tools",
  ".",
  "",
  "a\0b",
  "__proto__",
  "x".repeat(5_000),
];
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const id = fc.constantFrom(...IDS);
const milliseconds = fc.constantFrom(0, 1, 100, 2 ** 31 - 1, 2 ** 31, -1, 1.5);

const { input } = fc.letrec<{ input: JsonObject; value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(
      null,
      1,
      "x",
      { $from: "a" },
      { $from: "b", path: "/x" },
      { $from: 1 },
      { $from: "a", path: "x" },
    ),
    fc.array(tie("value"), { maxLength: 2 }),
    tie("input"),
  ),
  input: fc.dictionary(fc.constantFrom("$from", "path", "x", "__proto__"), tie("value"), { maxKeys: 2 }),
}));

const tool = fc.record(
  {
    toolId: id,
    toolPath: fc.constantFrom(...PATHS, ...PATHS, ...BAD_PATHS),
    operation: optional(fc.constantFrom("run", "")),
    input: optional(input),
    dependencies: optional(fc.array(id, { maxLength: 3 })),
    required: optional(fc.boolean()),
    async: optional(fc.boolean()),
    retryPolicy: optional(fc.record({ maxRetries: fc.constantFrom(0, 3, 10, 11), backoffMs: milliseconds })),
    timeoutMs: optional(milliseconds),
  },
  { requiredKeys: ["toolId", "toolPath"] },
);
const plan = fc.record(
  {
    requestId: fc.constantFrom("r", ""),
    narrative: optional(fc.string()),
    tools: fc.array(tool, { maxLength: 5 }),
    parallel: optional(fc.boolean()),
    disabledSkills: optional(fc.array(fc.constantFrom("lamp", "bell", "__proto__"), { maxLength: 2 })),
    metadata: optional(fc.record({ generationAttempt: fc.constantFrom(0, 1, 5), parentPlanId: optional(id) })),
    timeoutMs: optional(milliseconds),
  },
  { requiredKeys: ["requestId", "tools"] },
) as fc.Arbitrary<JsonObject>;

/** Most of what a free choice makes is refused for something dull: these would run, but for a cycle here and there. */
const sound = fc
  .tuple(
    fc.array(
      fc.record({
        path: fc.constantFrom(...PATHS.slice(0, 4)),
        before: fc.array(fc.nat({ max: 9 }), { maxLength: 2 }),
      }),
      { maxLength: 6 },
    ),
    fc.constantFrom("backwards", "backwards", "anywhere"),
  )
  .map(([tools, pointing]) => ({
    requestId: "r",
    tools: tools.map(({ path, before }, index) => ({
      toolId: `t${index}`,
      toolPath: path,
      input: index === 0 ? {} : { of: { $from: "t0" } },
      dependencies: before
        .filter(() => index > 0)
        .map((at) => `t${at % (pointing === "backwards" ? index : tools.length)}`)
        .concat(index === 0 ? [] : ["t0"]),
    })),
  })) as fc.Arbitrary<JsonObject>;

const documents = fc
  .oneof(plan, sound, damaged(plan), damaged(sound))
  .map((value) => Buffer.from(JSON.stringify(value)));

const SEEDS = [
  '{"requestId":"r","narrative":"n","tools":[{"toolId":"a","toolPath":"lamp","input":{"x":{"$from":"b","path":"/y"}},"dependencies":["b"]},{"toolId":"b","toolPath":"tools/bell","required":false,"async":true,"retryPolicy":{"maxRetries":3,"backoffMs":100},"timeoutMs":5000}],"parallel":true,"disabledSkills":["x"],"metadata":{"generationAttempt":1,"parentPlanId":null}}',
  '{"requestId":"r","tools":[]}',
];

const fitsContract = contractValidator("plan-json");

function tryPlan(input: Buffer, sources: ToolSources, root: string): string {
  const reading = readJson(input.toString("utf8"));
  if (reading.kind !== "value") return reading.kind;
  const { value } = reading;
  const before = JSON.stringify(value);
  const validation = validatePlan(value, sources);
  mustBeSame(JSON.stringify(value), before, "a plan before and after it was looked at");
  mustBeSame(shown(validatePlan(value, sources)), shown(validation), "two validations of a plan");
  if (validation.kind === "invalid") return checkRefused(validation.problems, value);

  must(fitsContract(value), "the contract refuses a plan that was taken");
  const { plan, tools } = validation;
  const again = validatePlan(planAsJson(plan), sources);
  must(again.kind === "valid", "a plan that was taken is refused in full");
  mustBeSame(again.plan, plan, "a plan and its second reading");
  checkSound(plan);
  for (const { toolId } of plan.tools) {
    const found = tools.get(toolId);
    must(found !== undefined, `there is no tool for ${toolId}`);
    const [program = ""] = found.command;
    must(
      isInside(realLocation(program), join(root, "story")) || found.needs.includes("exec.spawn"),
      `${program} may run`,
    );
  }
  return `taken, ${plan.tools.length > 1 ? "tools" : plan.tools.length === 1 ? "a tool" : "narrative"}`;
}

function checkRefused(problems: readonly { pointer: string; code: string; message: string }[], value: Json): string {
  must(problems.length > 0, "a plan was refused for nothing");
  for (const { pointer, code, message } of problems) {
    must((PLAN_PROBLEM_CODES as readonly string[]).includes(code), `there is no code ${code}`);
    mustBeWords(message, "a problem");
    const tokens = parsePointer(pointer);
    must(tokens !== null, `${pointer} is no pointer`);
    // What is missing has no place of its own; what it is missing from has.
    must(lookUp(value, tokens.slice(0, -1)) !== undefined, `${pointer} points to nothing`);
  }
  return [...new Set(problems.map(({ code }) => code))].toSorted().join("+");
}

/** Without a cycle: from what waits for nothing on, everything has its turn. */
function checkSound({ tools, disabledSkills }: Plan): void {
  const ended = new Set<string>();
  const ids = new Set(tools.map(({ toolId }) => toolId));
  must(ids.size === tools.length, "two tools have one id");
  for (let left = tools; left.length > 0;) {
    const waiting = left.filter(({ dependencies }) => !dependencies.every((dependency) => ended.has(dependency)));
    must(waiting.length < left.length, "tools wait for each other");
    for (const { toolId } of left) if (!waiting.some((tool) => tool.toolId === toolId)) ended.add(toolId);
    left = waiting;
  }
  for (const { toolPath, input, dependencies } of tools) {
    must(!disabledSkills.includes(skillNameOf(toolPath, new Set(["lamp"]))), `${toolPath} is disabled`);
    for (const from of referencesIn(input)) must(dependencies.includes(from), `${from} is no dependency`);
  }
}

function referencesIn(value: Json): string[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Object.keys(value);
  if (isJsonObject(value) && keys.includes("$from") && keys.every((key) => key === "$from" || key === "path")) {
    return typeof value["$from"] === "string" ? [value["$from"]] : [];
  }
  return Object.values(value).flatMap(referencesIn);
}

function shown(validation: ReturnType<typeof validatePlan>): unknown {
  return validation.kind === "valid" ? { plan: validation.plan, tools: [...validation.tools] } : validation;
}

/** A story with a mount, an executable, a folder with a manifest, one that is broken, a way out and a pipe. */
function makeSources(root: string): ToolSources {
  const story = join(root, "story");
  for (const folder of ["tools/box", "tools/broken"]) mkdirSync(join(story, folder), { recursive: true });
  const manifest = (name: string, command: string) =>
    JSON.stringify({
      name,
      kind: "tool",
      protocol: "narratoria/0",
      transport: { type: "stdio", command: [command] },
      capabilities: [],
    });
  writeFileSync(join(story, "tools/bell"), "#!/bin/sh\n");
  chmodSync(join(story, "tools/bell"), 0o755);
  writeFileSync(join(story, "tools/box/tool.json"), manifest("box", "./box"));
  writeFileSync(join(story, "tools/broken/tool.json"), "{");
  symlinkSync("/bin", join(story, "out"));
  execFileSync("mkfifo", [join(story, "pipe")]);
  const lamp = JSON.parse(manifest("lamp", "./tools/bell")) as Json;
  return { storyDir: story, allowed: [], mounts: findMounts(story, [lamp]).mounts };
}
