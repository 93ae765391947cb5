/**
 * Begins a turn in the background and sees it to its end, whatever happens: the story is opened, the narrator's context
 * gathered, the prompt put before the gates. `turn.ts` is what happens then, `turn-scene.ts` where.
 */
import type { DraftOf } from "../../story/event.ts";
import { tellingOf } from "../../story/fold-state.ts";
import type { HeadTurn } from "../../story/session-state.ts";
import type { StoryLoading } from "../mounts/load-story.ts";
import type { StoryProblem } from "../mounts/story-problem.ts";
import { confirmModules } from "../policy/confirm-modules.ts";
import type { Consent } from "../seams/engine.ts";
import { diskTroubleIn } from "../seams/disk-trouble.ts";
import type { Background } from "./ask-narrator.ts";
import { createTurnEnds, type TurnEnding } from "./end-turn.ts";
import type { ContextKeeper, OpenContext } from "./module-context.ts";
import type { DescribeTools } from "./narrator-tools.ts";
import { runTurn, type TurnMeans, type TurnToRun } from "./turn.ts";
import { createScene, createWriter, type SceneKeepers } from "./turn-scene.ts";
import type { TurnSession } from "./turn-session.ts";
import type { TurnStart } from "./turn-start.ts";

/** What turns need of their host, whichever session they belong to. */
export interface TurnHost {
  readonly means: TurnMeans;
  readonly keepers: SceneKeepers;
  openStory(dir: string): Promise<StoryLoading>;
  readonly openContext: OpenContext;
  readonly describeTools: DescribeTools;
}

export interface RunningTurn {
  readonly turnId: string;
  readonly stop: AbortController;
  /** Never rejects. */
  readonly finished: Promise<unknown>;
}

export function beginTurn(host: TurnHost, session: TurnSession, start: TurnStart): RunningTurn {
  const stop = new AbortController();
  // One step later, so that whoever asked for the turn hears its id before anything happens in it.
  const finished = Promise.resolve()
    .then(() => playTurn(host, session, start, stop.signal))
    .catch((error: unknown) => endInWords(session, start.turnId, error));
  return { turnId: start.turnId, stop, finished };
}

async function playTurn(
  host: TurnHost,
  session: TurnSession,
  start: TurnStart,
  signal: AbortSignal,
): Promise<TurnEnding> {
  const loaded = await host.openStory(session.state().story.dir);
  if (loaded.kind === "invalid") return endUntold(session, start.turnId, brokenStory(loaded.problems));
  const { story, narrator } = loaded;
  await session.catchUpWith(story);
  const scene = createScene(host.keepers, session, start.turnId, story, signal);
  await confirmModules(host.keepers.permissions, story, scene.player);
  const keeper = await host.openContext(story, session.sessionId, (draft) => void session.append([draft]));
  const { health, enabledSkills } = session.state();
  const turn: TurnToRun = {
    start,
    briefing: {
      narrator,
      background: await gatherBackground(session, start, keeper),
      toldSoFar: () => headOf(session, start.turnId)?.texts ?? [],
      tools: (toldOf) => host.describeTools(story, toldOf),
    },
    skills: { sources: { storyDir: story.dir, allowed: [], mounts: story.mounts }, health, enabledSkills },
    pen: { log: createWriter(session), append: (drafts) => void session.append(drafts) },
  };
  const gated = await gatePrompt(turn, scene.consent);
  const ending = gated.kind === "go" ? await runTurn(gated.turn, host.means, scene, signal) : endDenied(turn, gated);
  const head = headOf(session, start.turnId);
  if (ending === "completed" && head !== null) await keeper.remember(start.turnId, tellingOf(head));
  if (ending === "interrupted") {
    session.append([{ event: "turn:interrupt", component: "kernel", data: { turnId: start.turnId } }]);
  }
  return ending;
}

/** What the narrator is told; the state is added at each question, as it is then. */
async function gatherBackground(
  session: TurnSession,
  { turnId, number }: TurnStart,
  keeper: ContextKeeper,
): Promise<Background> {
  const { tellings, memory } = session.state();
  const { history, compaction } = await keeper.history(tellings, number);
  if (compaction.length > 0) session.append(compaction);
  return { memory, choices: headOf(session, turnId)?.choicesBefore ?? [], history };
}

type GatedPrompt = { kind: "go"; turn: TurnToRun } | { kind: "denied"; reason: string };

/** A hook may refuse a prompt, or put another in its place. */
async function gatePrompt(turn: TurnToRun, consent: Consent): Promise<GatedPrompt> {
  const { turnId, prompt } = turn.start;
  if (prompt === null) return { kind: "go", turn };
  const verdict = await consent.gate({ event: "turn:start", describe: () => ({ turnId, prompt }) });
  if (verdict.kind === "deny") return { kind: "denied", reason: verdict.reason };
  const other = verdict.changed?.["prompt"];
  if (typeof other !== "string" || other.trim() === "") return { kind: "go", turn };
  return { kind: "go", turn: { ...turn, start: { ...turn.start, prompt: other, choiceId: null } } };
}

function endDenied({ start, briefing, skills, pen }: TurnToRun, { reason }: { reason: string }): TurnEnding {
  return createTurnEnds(start, briefing.background.choices, pen.append).denied(reason, skills.health);
}

/** Something of ours broke, a full disk perhaps. */
function endInWords(session: TurnSession, turnId: string, error: unknown): TurnEnding {
  const message = error instanceof Error ? error.message : String(error);
  const trouble = diskTroubleIn(error);
  const notice = trouble?.message ?? "Something went wrong while telling this turn. Try again, or take another way.";
  return endUntold(session, turnId, { code: trouble?.code ?? "internal", message, notice });
}

/** Its author is at work on it, perhaps: the next prompt finds it mended. */
function brokenStory([problem]: readonly StoryProblem[]): WhyUntold {
  const { file = "its folder", line, pointer, message = "it is not there" } = problem ?? {};
  const place = [file, line === undefined ? pointer : `line ${line}`].filter(Boolean).join(", ");
  return {
    code: "story_broken",
    message: `the story cannot be read: ${place}: ${message}`,
    notice: `The story itself cannot be read just now (${place}: ${message}). When that is mended, try again.`,
  };
}

interface WhyUntold {
  code: string;
  message: string;
  notice: string;
}

/** The player reads a sentence, and can go on when it is mended. */
function endUntold(session: TurnSession, turnId: string, { code, message, notice }: WhyUntold): TurnEnding {
  const choices = [...(headOf(session, turnId)?.choicesBefore ?? [])];
  const data = { turnId, narrative: "", choices, notice, health: { ...session.state().health } };
  const end: DraftOf<"turn:end"> = {
    event: "turn:end",
    component: "runtime",
    status: "failed",
    data,
    error: { code, message },
  };
  session.appendOrOwe(end);
  return "failed";
}

function headOf(session: TurnSession, turnId: string): HeadTurn | null {
  const { head } = session.state();
  return head?.turnId === turnId ? head : null;
}
