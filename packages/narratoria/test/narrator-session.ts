/** Plays the runtime's part for a narrator: asks, "executes" plans with made-up outcomes, asks again. No process is started. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { Choice } from "@narratoria/tool/protocol";
import type { Narrator, NarratorAnswer, PlannedSoFar } from "../src/runtime/seams/narrator.ts";
import type { ExecutionResult, ToolResult } from "../src/story/execution-result.ts";
import { mergePatch } from "../src/story/merge-patch.ts";
import { parsePlan, type Plan, type PlanTool } from "../src/story/plan.ts";
import { SILENT_STAGE } from "./silent-stage.ts";

/** A tool's fate: what it changes, or why it fails. */
export type Fate = (tool: PlanTool) => { patch: JsonObject; summary?: string } | { error: string };

export interface ToldTurn {
  /** As the narrator gave them. */
  plans: Plan[];
  /** All that the player reads, in order. */
  text: string;
  narrative: string;
  choices: string[];
  offered: Choice[];
  ending: string | undefined;
}

export interface Session {
  turn(prompt: string | null, choiceId?: string): Promise<ToldTurn>;
  /** The session as it would be read back from a log. */
  restored(): Session;
  state: JsonObject;
  memory: Json;
}

interface SessionOptions {
  fate?: Fate;
  state?: JsonObject;
  memory?: Json;
  choices?: Choice[];
  seed?: number;
  disabledSkills?: string[];
}

export function startSession(narrator: Narrator, options: SessionOptions = {}): Session {
  const { fate = () => ({ patch: {} }), seed = 42 } = options;
  let choices = options.choices ?? [];
  const session: Session = {
    state: options.state ?? {},
    memory: options.memory ?? null,
    turn: async (prompt, choiceId) => {
      const plans: PlannedSoFar[] = [];
      const stateAtStart = session.state;
      const disabled = new Set(options.disabledSkills);
      for (let number = 0; number < 6; number++) {
        const told = { memory: session.memory, choices, history: [], seed };
        const context = { state: session.state, stateAtStart, ...told };
        const said = { prompt, choiceId: choiceId ?? null };
        const question = { ...said, context, disabledSkills: [...disabled], plans, told: [], sessionId: null };
        const answer = await narrator.next(question, SILENT_STAGE, new AbortController().signal);
        if (answer.kind === "end") return end(answer, plans);
        const reading = parsePlan({ ...(answer.plan as JsonObject), disabledSkills: [...disabled] });
        if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
        const result = execute(reading.plan, session.state, fate);
        session.state = result.aggregatedState;
        plans.push({ kind: "executed", plan: reading.plan, result });
        const failed = reading.plan.tools.filter(
          ({ toolId, required }) => required && result.failedTools.includes(toolId),
        );
        for (const { toolPath } of failed) disabled.add(toolPath);
      }
      throw new Error("the narrator does not come to an end");
    },
    restored: () => {
      const { state, memory } = JSON.parse(JSON.stringify(session)) as Pick<Session, "state" | "memory">;
      return startSession(narrator, { ...options, state, memory, choices });
    },
  };
  return session;

  function end(answer: Extract<NarratorAnswer, { kind: "end" }>, planned: readonly PlannedSoFar[]): ToldTurn {
    session.memory = JSON.parse(JSON.stringify(answer.memory)) as Json;
    choices = answer.choices;
    const plans = planned.flatMap((one) => (one.kind === "executed" ? [one.plan] : []));
    const texts = [...plans.map(({ narrative }) => narrative), answer.narrative].filter((text) => text !== "");
    return {
      plans,
      text: texts.join("\n\n"),
      narrative: answer.narrative,
      choices: answer.choices.map(({ label }) => label),
      offered: answer.choices,
      ending: answer.ending,
    };
  }
}

function execute(plan: Plan, before: JsonObject, fate: Fate): ExecutionResult {
  let state = before;
  const results = new Map<string, ToolResult>();
  for (const tool of plan.tools) {
    const blocker = plan.tools.find(
      ({ toolId, required }) => tool.dependencies.includes(toolId) && required && results.get(toolId)?.ok === false,
    );
    const outcome = blocker === undefined ? fate(tool) : { error: `${blocker.toolId} failed` };
    if ("patch" in outcome) state = mergePatch(state, outcome.patch);
    results.set(tool.toolId, resultOf(tool, outcome, blocker === undefined ? "failed" : "skipped"));
  }
  const toolResults = [...results.values()];
  return {
    planId: plan.requestId,
    success: plan.tools.every(({ toolId, required }) => !required || results.get(toolId)?.ok === true),
    narrative: plan.narrative,
    executionTime: 1,
    toolResults,
    failedTools: toolResults.filter((result) => result.state === "failed").map(({ toolId }) => toolId),
    generationAttempt: 1,
    canReplan: true,
    disabledSkills: plan.disabledSkills,
    aggregatedState: state,
    aggregatedAssets: [],
  };
}

function resultOf(tool: PlanTool, outcome: ReturnType<Fate>, failure: "failed" | "skipped"): ToolResult {
  const ok = "patch" in outcome;
  const common = { toolId: tool.toolId, skill: tool.toolPath, executionTime: 1, retryCount: 0, attempts: [] };
  const counts = { eventCount: 0, eventsOmitted: 0 };
  if (!ok) return { ...common, ...counts, ok, state: failure, output: null, error: outcome.error, events: [] };
  const done = { version: "0" as const, type: "done" as const, ok: true, summary: outcome.summary ?? "" };
  return { ...common, ...counts, ok, state: "completed", output: outcome.patch, events: [done] };
}

const madeFolders: string[] = [];
afterAll(() => {
  for (const dir of madeFolders.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** A story folder made for a test; tools are empty executables, as nothing runs them. */
export function makeStoryFolder(files: Readonly<Record<string, string>>, tools: readonly string[] = []): string {
  const dir = mkdtempSync(join(tmpdir(), "narratoria-story-"));
  madeFolders.push(dir);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  if (tools.length > 0) mkdirSync(join(dir, "tools"), { recursive: true });
  for (const tool of tools) {
    writeFileSync(join(dir, "tools", tool), "");
    chmodSync(join(dir, "tools", tool), 0o755);
  }
  return dir;
}
