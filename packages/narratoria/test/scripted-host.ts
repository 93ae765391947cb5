/**
 * Sessions with everything real but the narrator and the tools, which are functions: the turn loop, the log, the store
 * and the fold as they are, without a process.
 */
import { randomUUID } from "node:crypto";
import type { JsonObject } from "@narratoria/tool/json";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { createAskDesk, type AskDesk } from "../src/runtime/policy/asks.ts";
import { cancelledOutcome } from "../src/runtime/execution/cancel-reason.ts";
import { systemClock, type Clock } from "../src/runtime/seams/clock.ts";
import { createHooks, type Hooks } from "../src/runtime/policy/hooks.ts";
import type { Narrator, NarratorAnswer, NarratorQuestion, Stage } from "../src/runtime/seams/narrator.ts";
import { testPermissions } from "./test-permissions.ts";
import { NOTHING_GRANTED } from "../src/runtime/policy/policy.ts";
import { bareTool } from "../src/runtime/mounts/resolve-tool.ts";
import type { ResolvedTool } from "../src/runtime/seams/resolved-tool.ts";
import { isRefusal, type Refusal, type SessionService } from "../src/runtime/seams/session-service.ts";
import type { StoryLoading } from "../src/runtime/mounts/load-story.ts";
import type { StoryShelf } from "../src/runtime/mounts/story-shelf.ts";
import { createSessions, type SessionAssets } from "../src/runtime/sessions/sessions.ts";
import { createAncestry } from "../src/runtime/turns/ancestry.ts";
import { createLocalEngine } from "../src/engines/local.ts";
import { createHealthBook } from "../src/runtime/mounts/mount-health.ts";
import { createToolRegistry, type ToolRegistry } from "../src/runtime/mounts/tool-registry.ts";
import type { MountRunner } from "../src/runners/mount-runner.ts";
import { createMountedRunner } from "../src/runners/mounted-runner.ts";
import { beginTurn, type TurnHost } from "../src/runtime/turns/begin-turn.ts";
import { PLAIN_KEEPER, type OpenContext } from "../src/runtime/turns/module-context.ts";
import { describeTools } from "../src/runtime/turns/narrator-tools.ts";
import type { TurnSession } from "../src/runtime/turns/turn-session.ts";
import { createSlots } from "../src/runtime/execution/slots.ts";
import type { Store } from "../src/runtime/seams/store.ts";
import type {
  AttemptOutcome,
  AttemptPort,
  AttemptReport,
  AttemptCall,
  ToolRunner,
} from "../src/runtime/seams/tool-runner.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import type { ErrorDetail } from "../src/story/execution-result.ts";
import { eventSchema, type EventName, type EventOf, type NarratoriaEvent } from "../src/story/event.ts";

/** What a tool does in one attempt. */
export interface Doing {
  events?: ToolEvent[];
  takesMs?: number;
  error?: ErrorDetail;
}

export interface ScriptedHostOptions {
  narrate(question: NarratorQuestion, signal: AbortSignal, stage: Stage): NarratorAnswer | Promise<NarratorAnswer>;
  /** By skill; a tool that is not named completes at once. `call.input` tells what was asked of it. */
  tools?: Record<string, (call: AttemptCall, attempt: number) => Doing>;
  manifests?: Record<string, Partial<ResolvedTool>>;
  state?: JsonObject;
  /** Where the story lies; without it nowhere. */
  dir?: string;
  /** The titles of the stories that are known here. */
  stories?: string[];
  /** A database file; in memory without one. */
  file?: string;
  store?: Store;
  clock?: Clock;
  newId?: () => string;
  newSeed?: () => number;
  limits?: { toolMs: number; planMs: number };
  /** In place of the scripted tools. */
  mountRunner?: MountRunner;
  openContext?: OpenContext;
  /** In place of finding the scripted story at every turn; null finds it. */
  openStory?: () => StoryLoading | null;
  /** In place of a shelf with the one scripted story, and of assets that are all refused. */
  shelf?: StoryShelf;
  assets?: SessionAssets;
}

export interface ScriptedHost {
  sessions: SessionService;
  store: Store;
  asks: AskDesk;
  hooks: Hooks;
  /** Every attempt, in order. */
  calls: AttemptCall[];
  /** What the latest turn of each session was given of it. */
  turnSessions: Map<string, TurnSession>;
  /** Every question the narrator was asked. */
  questions: NarratorQuestion[];
  /** A new session, its opening told. */
  begin(): Promise<string>;
  /** Types a prompt and waits for the end of its turn. */
  play(sessionId: string, text: string): Promise<string>;
}

/** As it was asked, whatever becomes of it. What was told never changes, and in a long story is most of it. */
function copyOf(question: NarratorQuestion): NarratorQuestion {
  const { history } = question.context;
  const copy = structuredClone({ ...question, context: { ...question.context, history: [] } });
  return { ...copy, context: { ...copy.context, history: [...history] } };
}

export const SKILLS = ["counter", "lamp", "bell", "alpha", "beta"];

export function createScriptedHost(options: ScriptedHostOptions): ScriptedHost {
  const { clock = systemClock, tools = {} } = options;
  const store = options.store ?? openSqliteStore(options.file ?? ":memory:");
  const calls: AttemptCall[] = [];
  const questions: NarratorQuestion[] = [];
  const turnSessions = new Map<string, TurnSession>();
  const asks = createAskDesk();
  const hooks = createHooks(clock);

  const narrator: Narrator = {
    next: async (question, stage, signal) => {
      questions.push(copyOf(question));
      return options.narrate(question, signal, stage);
    },
    close: () => Promise.resolve(),
  };
  async function run(call: AttemptCall, port: AttemptPort, signal: AbortSignal): Promise<AttemptReport> {
    calls.push(call);
    const attempt = calls.filter(({ tool }) => tool.tool === call.tool.tool).length;
    return reportOf(await act(tools[call.tool.tool]?.(call, attempt) ?? {}, port, signal));
  }
  async function act(doing: Doing, port: AttemptPort, signal: AbortSignal): Promise<AttemptOutcome> {
    for (const event of doing.events ?? []) {
      const refused = await port.take({ event, text: JSON.stringify(event), warnings: [] });
      if (refused !== undefined) return { kind: "failed", error: refused };
    }
    await port.flush();
    if (doing.takesMs !== undefined) await pause(clock, doing.takesMs, signal);
    if (signal.aborted) return cancelledOutcome(signal.reason);
    if (doing.error === undefined) return { kind: "completed", summary: null };
    return { kind: doing.error.category === "timeout" ? "timeout" : "failed", error: doing.error };
  }

  const mounts = new Map(
    SKILLS.map((skill) => [skill, { ...bareTool(`/story/tools/${skill}`, skill), ...options.manifests?.[skill] }]),
  );
  const dir = options.dir ?? "/story";
  const story = {
    dir,
    title: "A story",
    version: "1",
    author: null,
    description: null,
    goal: "To be told",
    ...{
      narrator: "scripted",
      narratorFile: "none",
      initialState: options.state ?? {},
      mounts,
      synonyms: {},
      voice: {},
      language: "en",
    },
  };
  const opened = { kind: "story", story, narrator } as const;
  const assets = { take: () => Promise.resolve({ kind: "refused", reason: "there is no such file" } as const) };
  const registry = createToolRegistry();
  const none = { offers: () => Promise.resolve([]), endSession: async () => {}, close: async () => {} };
  const { mountRunner, limits = { toolMs: 30_000, planMs: 60_000 }, newId = randomUUID } = options;
  const runner: ToolRunner = mountRunner === undefined ? { run, ...none } : runnerOf(registry, mountRunner);
  const permissions = testPermissions(NOTHING_GRANTED, { mayAsk: true });
  const turnHost: TurnHost = {
    means: {
      engine: createLocalEngine({
        runner,
        registry,
        assets,
        slots: createSlots(4),
        mostAtOnce: 4,
        clock,
        limits,
        newId,
      }),
      turnMs: 120_000,
      newId,
    },
    keepers: {
      clock,
      permissions,
      asks,
      hooks,
      newId,
    },
    openStory: () => Promise.resolve(options.openStory?.() ?? opened),
    openContext: options.openContext ?? (async () => PLAIN_KEEPER),
    describeTools: describeTools(registry, runner, permissions),
  };
  const shelf = options.shelf ?? {
    defaultDir: dir,
    list: () => (options.stories ?? []).map((title) => ({ dir, title, author: null, description: null })),
    open: () => Promise.resolve(opened),
    openForTurn: () => Promise.resolve(opened),
    close: () => Promise.resolve(),
  };
  const sessionAssets = options.assets ?? { store: assets, file: (sha256: string) => sha256, sweep: () => {} };
  const sessions = createSessions(
    { store, assets: sessionAssets, clock, ids: { newId, newSeed: options.newSeed ?? (() => 7) } },
    { shelf, hooks, moduleHooks: NO_MODULES },
    {
      telling: {
        asks,
        beginTurn: (session, start) => {
          turnSessions.set(session.sessionId, session);
          return beginTurn(turnHost, session, start);
        },
      },
      endProcessesOf: (sessionId) => runner.endSession(sessionId),
      leftovers: { end: () => {} },
    },
  );

  return {
    sessions,
    store,
    asks,
    hooks,
    calls,
    turnSessions,
    questions,
    begin: async () => {
      const { sessionId } = ok(await sessions.create({}));
      await sessions.idle(sessionId);
      return sessionId;
    },
    play: async (sessionId, text) => {
      const { turnId } = ok(await sessions.prompt(sessionId, text));
      await sessions.turnEnded(sessionId, turnId);
      return turnId;
    },
  };
}

/** The answer, when it is none a refusal. */
export function ok<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(`refused: ${answer.message}`);
  return answer;
}

/** Every event of a session's stream, each held against its schema. */
export function streamOf(store: Store, sessionId: string): NarratoriaEvent[] {
  const events: NarratoriaEvent[] = [];
  const ancestry = createAncestry(store);
  for (let at = 0, isLast = false; !isLast;) {
    const page = ancestry.stream(sessionId, at, 7, "each");
    events.push(...page.events.map((stored) => stored.event()));
    ({ next: at, isLast } = page);
  }
  for (const event of events) eventSchema.parse(event);
  return events;
}

export function eventsNamed<Name extends EventName>(events: readonly NarratoriaEvent[], name: Name): EventOf<Name>[] {
  return events.filter((event): event is EventOf<Name> => event.event === name);
}

export function end(narrative: string, more: Partial<Extract<NarratorAnswer, { kind: "end" }>> = {}): NarratorAnswer {
  return { kind: "end", narrative, choices: [], memory: null, ...more };
}

/** A plan of one tool for each skill given, all independent. */
export function planOf(...skills: (string | { skill: string; [field: string]: unknown })[]): NarratorAnswer {
  const tools = skills.map((given, index) => {
    const { skill, ...more } = typeof given === "string" ? { skill: given } : given;
    return { toolId: `${skill}${index + 1}`, toolPath: skill, retryPolicy: { maxRetries: 0, backoffMs: 1 }, ...more };
  });
  return { kind: "plan", plan: { narrative: "", tools } };
}

export function patch(value: JsonObject): ToolEvent {
  return { version: "0", type: "state_patch", patch: value };
}

export function logLine(message: string, fields?: JsonObject): ToolEvent {
  return { version: "0", type: "log", level: "info", message, ...(fields && { fields }) };
}

export function failure(category: ErrorDetail["category"], code = "FAILED"): ErrorDetail {
  return { category, code, message: `it failed as ${category}` };
}

const NO_MODULES = { mount: () => Promise.resolve([]), knows: () => true, forget: () => {} };

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resume) => {
    const timer = clock.after(ms, resume);
    signal.addEventListener("abort", () => {
      timer.cancel();
      resume();
    });
  });
}

function reportOf(outcome: AttemptOutcome): AttemptReport {
  const rest = { stderrTail: "", warnings: [], eventsAfterDone: 0, sandbox: "none" as const, trace: {} };
  return { outcome, exitCode: outcome.kind === "completed" ? 0 : 1, signal: null, ...rest };
}

/** Every tool is handed to the same runner. */
export function runnerOf(registry: ToolRegistry, runner: MountRunner): ToolRunner {
  const health = createHealthBook(() => 0);
  const byProtocol = { "narratoria/0": runner, "namel3ss/1": runner, "amplifier/1": runner, mcp: runner };
  return createMountedRunner({ registry, health, recorded: runner, byProtocol });
}
