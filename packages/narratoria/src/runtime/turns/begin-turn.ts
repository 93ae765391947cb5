/** Starts a turn in the background and sees it to its end, whatever happens. `turn.ts` is what happens in between. */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { AskDesk } from "../policy/asks.ts";
import type { AssetStore } from "../seams/assets.ts";
import type { Clock } from "../seams/clock.ts";
import { createDeadlines } from "../execution/deadlines.ts";
import type { EventDraft } from "../../story/event.ts";
import type { ExecutionContext } from "../execution/execute-plan.ts";
import { diskTroubleIn } from "../seams/disk-trouble.ts";
import type { TurnSession } from "./turn-session.ts";
import type { StoryLoading } from "../mounts/load-story.ts";
import type { Hooks } from "../policy/hooks.ts";
import { historyFor, type OpenContext } from "./module-context.ts";
import { tellingOf } from "../../story/fold-state.ts";
import type { Permissions, Question } from "../policy/permissions.ts";
import { isToolOfPlans } from "../seams/resolved-tool.ts";
import type { SandboxLevel } from "../../story/execution-result.ts";
import type { Slots } from "../execution/slots.ts";
import type { ToolRunner } from "../seams/tool-runner.ts";
import { runTurn, type ResumedTurn, type TurnEnding, type TurnToRun } from "./turn.ts";

export interface TurnEnvironment {
  clock: Clock;
  runner: ToolRunner;
  assets: AssetStore;
  slots: Slots;
  permissions: Permissions;
  sandboxLevel: SandboxLevel;
  asks: AskDesk;
  hooks: Hooks;
  /** Finds the module that keeps a story's context; where it is missing there is none. */
  openContext?: OpenContext;
  limits: { toolMs: number; planMs: number; turnMs: number };
  newId(): string;
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

export interface RunningTurn {
  readonly turnId: string;
  readonly stop: AbortController;
  readonly finished: Promise<unknown>;
}

export function beginTurn(environment: TurnEnvironment, session: TurnSession, start: TurnStart): RunningTurn {
  const stop = new AbortController();
  // One step later, so that whoever asked for the turn hears its id before anything happens in it.
  const finished = Promise.resolve()
    .then(() => tell(environment, session, start, stop.signal))
    .catch((error: unknown) => endInWords(session, start, error));
  return { turnId: start.turnId, stop, finished };
}

async function tell(
  environment: TurnEnvironment,
  session: TurnSession,
  start: TurnStart,
  signal: AbortSignal,
): Promise<void> {
  const loaded = await environment.openStory(session.state().story.dir);
  if (loaded.kind === "invalid") {
    const [problem] = loaded.problems;
    throw new Error(`the story cannot be read: ${problem?.file}: ${problem?.message}`);
  }
  const { story, narrator } = loaded;
  session.catchUpWith(story);
  const note = (draft: EventDraft): void => void session.append([draft]);
  const askContext = environment.openContext?.(story, session.sessionId, note) ?? null;
  const { history, compaction } = await historyFor(session.state().tellings, askContext);
  compaction.forEach(note);
  const context = createContext(environment, session, start.turnId, story, signal);
  const sources = { storyDir: story.dir, allowed: [], mounts: story.mounts };
  const turn: TurnToRun = {
    ...start,
    narrator,
    sources,
    story: {
      stateAtStart: start.stateAtStart,
      memory: session.state().memory,
      choices: session.state().head?.choicesBefore ?? [],
      history,
      skills: [...story.mounts.values()].filter(isToolOfPlans).map(({ skill, manifest }) => ({
        name: skill,
        description: manifest?.description ?? null,
      })),
    },
    health: session.state().health,
    enabledSkills: session.state().enabledSkills,
    context,
    record: (drafts) => void session.append(drafts),
    newId: environment.newId,
    limits: environment.limits,
  };
  const allowed = await askGates(turn);
  const ending = allowed === null ? await runTurn(turn, signal) : endDenied(turn, allowed);
  const { head } = session.state();
  if (ending === "completed" && askContext !== null && head !== null) {
    const told = tellingOf(head) as unknown as Json;
    await askContext("set", { key: "history", turn_id: start.turnId, value: told });
  }
  if (ending === "interrupted") {
    session.append([{ event: "turn:interrupt", component: "kernel", data: { turnId: start.turnId } }]);
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
  session: TurnSession,
  turnId: string,
  story: { dir: string; title: string },
  signal: AbortSignal,
): ExecutionContext {
  const { hooks } = environment;
  const about = { session_id: session.sessionId, turn_id: turnId };
  const lineNumbers = new Map<string, number>();
  const emit = (draft: EventDraft): void => void session.append([draft]);
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
      session.appendLines({ ...draft, ...about } as never, number, lines, progress);
      lineNumbers.set(span, number + lines.length);
    },
    sizedState: () => ({ value: session.state().state, size: session.state().stateSize }),
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
function endInWords(session: TurnSession, start: TurnStart, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const trouble = diskTroubleIn(error);
  const notice = trouble?.message ?? "Something went wrong while telling this turn. Try again, or take another way.";
  const { head, health } = session.state();
  session.appendOrOwe({
    event: "turn:end",
    component: "runtime",
    status: "failed",
    data: { turnId: start.turnId, narrative: "", choices: [...(head?.choicesBefore ?? [])], notice, health },
    error: { code: trouble?.code ?? "internal", message },
  });
}
