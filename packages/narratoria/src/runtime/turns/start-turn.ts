/** Starts a turn in the background and sees it to its end, whatever happens. `turn.ts` is what happens in between. */
import type { Json, JsonObject } from "@narratoria/tool/json";
import { foldView } from "../../story/fold-view.ts";
import type { SessionView } from "../../story/session-view.ts";
import type { AskDesk } from "../policy/asks.ts";
import type { AssetStore } from "../seams/assets.ts";
import type { Clock } from "../seams/clock.ts";
import { createDeadlines } from "../execution/deadlines.ts";
import type { EventDraft } from "../../story/event.ts";
import type { ExecutionContext } from "../execution/execute-plan.ts";
import { isDiskFull, NO_ROOM } from "../sessions/full-disk.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import type { StoryLoading } from "../mounts/load-story.ts";
import { enabledSkills, TURNS_PER_SNAPSHOT } from "../sessions/load-view.ts";
import type { Hooks } from "../policy/hooks.ts";
import type { MountHooks } from "../policy/module-hooks.ts";
import { historyFor, type OpenContext } from "./module-context.ts";
import { contextFor } from "./narrator-context.ts";
import type { Permissions, Question } from "../policy/permissions.ts";
import { isToolOfPlans } from "../seams/resolved-tool.ts";
import type { SandboxLevel } from "../../story/execution-result.ts";
import { hookChanges } from "../sessions/session-hooks.ts";
import { knownMounts, mountChanges } from "../sessions/session-mounts.ts";
import type { SessionLog } from "../sessions/session-log.ts";
import type { Slots } from "../execution/slots.ts";
import type { Store } from "../seams/store.ts";
import type { ToolRunner } from "../seams/tool-runner.ts";
import { runTurn, type ResumedTurn, type TurnEnding, type TurnToRun } from "./turn.ts";

export interface TurnEnvironment {
  store: Store;
  log: SessionLog;
  clock: Clock;
  runner: ToolRunner;
  assets: AssetStore;
  slots: Slots;
  permissions: Permissions;
  sandboxLevel: SandboxLevel;
  asks: AskDesk;
  hooks: Hooks;
  /** Registers the hooks that a story mounts; where it is missing, mounts are no hooks. */
  mountHooks?: MountHooks;
  /** Finds the module that keeps a story's context; where it is missing there is none. */
  openContext?: OpenContext;
  limits: { toolMs: number; planMs: number; turnMs: number };
  newId(): string;
  newSeed(): number;
  openStory(dir: string): Promise<StoryLoading>;
}

export interface TurnStart {
  turnId: string;
  number: number;
  prompt: string | null;
  seed: number;
  stateAtStart: JsonObject;
  resumed: ResumedTurn;
}

export function startTurn(environment: TurnEnvironment, session: LiveSession, start: TurnStart): void {
  const stop = new AbortController();
  // One step later, so that whoever asked for the turn hears its id before anything happens in it.
  const finished = Promise.resolve()
    .then(() => tell(environment, session, start, stop.signal))
    .catch((error: unknown) => endInWords(environment, session, start, error))
    .finally(() => (session.running = null));
  session.running = { turnId: start.turnId, stop, finished };
}

async function tell(
  environment: TurnEnvironment,
  session: LiveSession,
  start: TurnStart,
  signal: AbortSignal,
): Promise<void> {
  const { log, store } = environment;
  const about = { session_id: session.sessionId, turn_id: start.turnId };
  const loaded = await environment.openStory(session.view.story.dir);
  if (loaded.kind === "invalid") {
    const [problem] = loaded.problems;
    throw new Error(`the story cannot be read: ${problem?.file}: ${problem?.message}`);
  }
  const { story, narrator } = loaded;
  const mountEvents = mountChanges(session.sessionId, knownMounts(store, session.sessionId), story.mounts);
  const hookEvents = hookChanges(environment, session.sessionId, story);
  if (mountEvents.length + hookEvents.length > 0) log.append([...mountEvents, ...hookEvents]);
  const note = (draft: EventDraft): void => void log.append([{ ...draft, ...about }]);
  const askContext = environment.openContext?.(story, session.sessionId, note) ?? null;
  const { history, compaction } = await historyFor(session.view, start.turnId, askContext);
  compaction.forEach(note);
  const context = createContext(environment, session, start.turnId, story, signal);
  const sources = { storyDir: story.dir, allowed: [], mounts: story.mounts };
  const turn: TurnToRun = {
    ...start,
    narrator,
    sources,
    story: {
      stateAtStart: start.stateAtStart,
      memory: session.memory,
      choices: parentOf(session.view, start.turnId)?.choices ?? [],
      history,
      skills: [...story.mounts.values()].filter(isToolOfPlans).map(({ skill, manifest }) => ({
        name: skill,
        description: manifest?.description ?? null,
      })),
    },
    health: session.health,
    enabledSkills: enabledSkills(environment.store, session.sessionId),
    context,
    record: (drafts) => void log.append(drafts.map((draft) => ({ ...draft, ...about }))),
    newId: environment.newId,
    limits: environment.limits,
  };
  const allowed = await askGates(turn);
  const ending = allowed === null ? await runTurn(turn, signal) : endDenied(turn, allowed);
  if (ending === "completed" && askContext !== null) {
    const told = contextFor(session.view, "").history.at(-1) as unknown as Json;
    await askContext("set", { key: "history", turn_id: start.turnId, value: told });
  }
  if (ending === "interrupted") {
    log.append([{ event: "turn:interrupt", component: "kernel", data: { turnId: start.turnId }, ...about }]);
  } else if (start.number % TURNS_PER_SNAPSHOT === 0) {
    store.saveSnapshot(start.turnId, session.view.state);
  }
}

/** A hook may refuse a prompt, or put another in its place. Null when the turn may go on. */
async function askGates(turn: TurnToRun): Promise<string | null> {
  if (turn.prompt === null || turn.context.gate === undefined) return null;
  const verdict = await turn.context.gate("turn:start", { turnId: turn.turnId, prompt: turn.prompt });
  if (verdict.kind === "deny") return verdict.reason;
  const { prompt } = verdict.data;
  if (typeof prompt === "string" && prompt.trim() !== "") turn.prompt = prompt;
  return null;
}

function endDenied(turn: TurnToRun, notice: string): TurnEnding {
  const data = { turnId: turn.turnId, narrative: "", choices: [...turn.story.choices], notice, health: turn.health };
  turn.record([{ event: "turn:end", component: "runtime", status: "cancelled", data: data as unknown as JsonObject }]);
  return "cancelled";
}

function createContext(
  environment: TurnEnvironment,
  session: LiveSession,
  turnId: string,
  story: { dir: string; title: string },
  signal: AbortSignal,
): ExecutionContext {
  const { log, hooks } = environment;
  const about = { session_id: session.sessionId, turn_id: turnId };
  const lineNumbers = new Map<string, number>();
  const emit = (draft: EventDraft): void => void log.append([{ ...draft, ...about }]);
  const deadlines = createDeadlines(environment.clock);
  return {
    ...environment,
    policy: { ...environment.permissions.policy, grants: environment.permissions.grants() },
    storyDir: story.dir,
    storyTitle: story.title,
    sessionId: session.sessionId,
    emit,
    emitLines: (draft, lines, progress) => {
      const span = draft.span_id ?? "";
      const number = lineNumbers.get(span) ?? 0;
      log.appendLines({ ...draft, ...about }, number, lines, progress);
      lineNumbers.set(span, number + lines.length);
    },
    sizedState: () => ({ value: session.view.state, size: session.stateSize }),
    deadlines,
    permit: (request) => environment.permissions.decide(request, { ask }),
    gate: async (event, data) => {
      if (!hooks.isGated(event, session.sessionId)) return { kind: "pass", data };
      return hooks.pass({ event, component: "kernel", data, ...about }, { askUser, note: emit });
    },
  };

  async function ask(question: Question): Promise<string | null> {
    const askId = environment.newId();
    const data = { askId, turnId, ...question } as unknown as JsonObject;
    emit({ event: "ask:open", component: "policy", data });
    const values = question.answers.map(({ value }) => value);
    return deadlines.standStill(async () => {
      const value = await environment.asks.wait(askId, values, signal);
      emit({
        event: "ask:answer",
        component: "policy",
        data: { askId, value },
        status: value === null ? "none" : "ok",
      });
      return value;
    });
  }

  async function askUser(question: string): Promise<boolean> {
    const answers = [
      { value: "yes", label: "Go on" },
      { value: "no", label: "Don't" },
    ];
    return (await ask({ toolId: null, question, reason: null, answers })) === "yes";
  }
}

/** Something of ours broke, a full disk perhaps: the player reads a sentence, and can go on when it is mended. */
function endInWords(environment: TurnEnvironment, session: LiveSession, start: TurnStart, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const isFull = isDiskFull(error);
  const notice = isFull ? NO_ROOM : "Something went wrong while telling this turn. Try again, or take another way.";
  const choices = parentOf(session.view, start.turnId)?.choices ?? [];
  const data = { turnId: start.turnId, narrative: "", choices, notice, health: session.health };
  const draft: EventDraft = {
    event: "turn:end",
    component: "runtime",
    status: "failed",
    data: data as unknown as JsonObject,
    error: { code: isFull ? "disk_full" : "internal", message },
    session_id: session.sessionId,
    turn_id: start.turnId,
  };
  try {
    environment.log.append([draft]);
  } catch {
    // Not even that fits on the disk: it is written before whatever comes next, and shown as it will be.
    session.unwrittenEnd = draft;
    const shown = { ...draft, id: "", ts: environment.clock.now() / 1000 };
    session.view = foldView(session.view, [shown]);
  }
}

function parentOf(view: SessionView, turnId: string): SessionView["turns"][number] | undefined {
  const at = view.turns.findIndex((turn) => turn.turnId === turnId);
  return view.turns[at - 1];
}
