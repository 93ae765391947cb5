/** References to tools: the same on every machine that has the story, and never another tool than the one meant. */
import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLocalEngine } from "../src/engines/local.ts";
import { createEventLog, keepRecord, writeEach } from "../src/runtime/execution/event-log.ts";
import { createSlots } from "../src/runtime/execution/slots.ts";
import { createTurnLimits } from "../src/runtime/execution/turn-limits.ts";
import { validatePlan } from "../src/runtime/execution/validate-plan.ts";
import { findMounts } from "../src/runtime/mounts/mounts.ts";
import { resolveTool } from "../src/runtime/mounts/resolve-tool.ts";
import { createToolRegistry, type ToolRegistry } from "../src/runtime/mounts/tool-registry.ts";
import { consentOf } from "../src/runtime/policy/consent.ts";
import { NOTHING_GRANTED } from "../src/runtime/policy/policy.ts";
import { systemClock } from "../src/runtime/seams/clock.ts";
import { createTurnClocks } from "../src/runtime/seams/deadlines.ts";
import type { PlanScene } from "../src/runtime/seams/engine.ts";
import { NOBODY } from "../src/runtime/seams/player.ts";
import type { ResolvedTool, StoryIdentity } from "../src/runtime/seams/resolved-tool.ts";
import type { AttemptCall, AttemptReport, ToolReference } from "../src/runtime/seams/tool-runner.ts";
import { createResultFold } from "../src/story/fold-result.ts";

const DECLARED = [
  manifest("script", "narratoria/0", { transport: { type: "stdio", command: ["sh", "scripts/ring.sh"] } }),
  manifest("torch", "narratoria/0", { transport: { type: "stdio", command: ["builtin:torch-lighter"] } }),
  manifest("module", "amplifier/1", { transport: { type: "stdio", command: ["node", "scripts/module.mjs"] } }),
  manifest("python", "namel3ss/1", { transport: { type: "stdio" }, entry: "tool:greet" }),
];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-registry-"));
  const story = join(folder, "here");
  mkdirSync(join(story, "scripts"), { recursive: true });
  mkdirSync(join(story, "tools"));
  writeFileSync(join(story, "scripts/ring.sh"), "echo ring\n");
  writeFileSync(join(story, "scripts/module.mjs"), "");
  writeFileSync(join(story, "tools/bell.sh"), "#!/bin/sh\n", { mode: 0o755 });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a story that lies elsewhere on another machine gives the same references, none of which names a folder", () => {
  const [here, there] = [join(folder, "here"), join(folder, "far/away/there")];
  cpSync(here, there, { recursive: true });
  symlinkSync(there, join(folder, "linked"));
  const known = referToAll(createToolRegistry(), here);
  expect(Object.keys(known).toSorted()).toEqual(["bell", "module", "python", "script", "torch"]);
  expect(referToAll(createToolRegistry(), there)).toEqual(known);
  expect(referToAll(createToolRegistry(), join(folder, "linked"))).toEqual(known);
  expect(JSON.stringify(known)).not.toContain("/");
});

test("a call made for a story that lies elsewhere is the same, and names no folder", async () => {
  const [here, there] = [join(folder, "here"), join(folder, "far/away/there")];
  cpSync(here, there, { recursive: true });
  const calls = [...(await callsIn(here)), ...(await callsIn(there))];
  expect(calls).toHaveLength(2);
  expect({ ...calls[0], requestId: "" }).toEqual({ ...calls[1], requestId: "" });
  expect(JSON.stringify(calls)).not.toContain(folder);
});

test("of two copies of a story on one machine each finds its own", () => {
  const [here, copy] = [join(folder, "here"), join(folder, "copy")];
  cpSync(here, copy, { recursive: true });
  const registry = createToolRegistry();
  const [ofHere, ofCopy] = [referToAll(registry, here), referToAll(registry, copy)];
  expect(referToAll(registry, here)).toEqual(ofHere);
  for (const [references, dir] of [
    [ofHere, here],
    [ofCopy, copy],
  ] as const) {
    expect(Object.values(references).map((reference) => registry.find(reference)?.storyDir)).toEqual(
      Object.values(references).map(() => dir),
    );
  }
});

test("another version of the story, and another command, are other references", () => {
  const dir = join(folder, "here");
  const registry = createToolRegistry();
  const tool = mountsOf(dir).get("script") as ResolvedTool;
  const reference = registry.refer(identityOf(dir), tool);
  expect(registry.refer({ ...identityOf(dir), version: "2" }, tool)).not.toEqual(reference);
  expect(registry.refer(identityOf(dir), { ...tool, command: ["sh", join(dir, "other.sh")] })).not.toEqual(reference);
  expect(registry.refer(identityOf(dir), tool)).toEqual(reference);
});

test("two tools of one name, which only their folders tell apart, are two", () => {
  const dir = join(folder, "here");
  const python = manifest("greet", "namel3ss/1", { transport: { type: "stdio" }, entry: "tool:greet" });
  for (const place of ["a/greet", "b/greet"]) {
    mkdirSync(join(dir, place), { recursive: true });
    writeFileSync(join(dir, place, "tool.json"), JSON.stringify(python));
  }
  const registry = createToolRegistry();
  const references = ["a/greet", "b/greet"].map((path) => {
    const found = resolveTool(path, { storyDir: dir, allowed: [], mounts: new Map() });
    if (found.kind !== "tool") throw new Error(found.message);
    return registry.refer(identityOf(dir), found.tool);
  });
  expect(references.map((reference) => registry.find(reference)?.tool.dir)).toEqual([
    join(dir, "a/greet"),
    join(dir, "b/greet"),
  ]);
});

/** Plays a plan that rings the story's bell, and gives the calls that this comes to. */
async function callsIn(storyDir: string): Promise<AttemptCall[]> {
  const sources = { storyDir, allowed: [], mounts: mountsOf(storyDir) };
  const checked = validatePlan({ requestId: "plan", tools: [{ toolId: "ring", toolPath: "tools/bell.sh" }] }, sources);
  if (checked.kind === "invalid") throw new Error(JSON.stringify(checked.problems));
  const calls: AttemptCall[] = [];
  const engine = createLocalEngine({
    runner: {
      run: (call) => (calls.push(call), Promise.resolve(COMPLETED)),
      offers: () => Promise.resolve([]),
      endSession: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    registry: createToolRegistry(),
    assets: { take: () => Promise.reject(new Error("no assets here")) },
    slots: createSlots(1),
    mostAtOnce: 1,
    clock: systemClock,
    limits: { toolMs: 1_000, planMs: 1_000 },
    newId: randomUUID,
  });
  const log = createEventLog(systemClock, []);
  const record = keepRecord(
    createResultFold(checked.plan),
    writeEach((draft) => log.append(draft)),
  );
  const scene: PlanScene = {
    whose: { story: identityOf(storyDir), sessionId: null },
    consent: consentOf({ storyDir, policy: NOTHING_GRANTED, level: "none", allowUnconfined: true }),
    player: NOBODY,
    clocks: createTurnClocks(systemClock),
    limits: createTurnLimits(),
    state: () => ({ value: {}, size: 2 }),
    glance: () => ({ value: {}, size: 2 }),
  };
  await engine.execute({ ...checked, settled: new Set(), record }, scene, new AbortController().signal);
  return calls;
}

const COMPLETED: AttemptReport = {
  outcome: { kind: "completed", summary: null },
  exitCode: 0,
  signal: null,
  stderrTail: "",
  warnings: [],
  eventsAfterDone: 0,
  sandbox: "none",
  trace: {},
};

function referToAll(registry: ToolRegistry, dir: string): { [name: string]: ToolReference } {
  const mounts = [...mountsOf(dir)];
  return Object.fromEntries(mounts.map(([name, tool]) => [name, registry.refer(identityOf(dir), tool)]));
}

function mountsOf(dir: string): ReadonlyMap<string, ResolvedTool> {
  const { mounts, problems } = findMounts(dir, DECLARED);
  expect(problems).toEqual([]);
  return mounts;
}

function identityOf(dir: string): StoryIdentity {
  return { dir, title: "The Bell", version: "1" };
}

function manifest(name: string, protocol: string, more: object) {
  return { name, kind: "tool", protocol, capabilities: [], ...more };
}
