/** `narratoria play`: a story in the terminal. `story-printer.ts` prints it, `play-commands.ts` has the commands. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { dataFolder } from "../data.ts";
import { isRefusal, type NarratoriaOptions, type Refusal, type Said, type SessionService } from "../index.ts";
import type { AskView, SessionView } from "../story/index.ts";
import { followAsJson } from "./follow-as-json.ts";
import { findSession } from "./find-session.ts";
import { objectToStory } from "./named-story.ts";
import { openOrComplain, storiesWith } from "./open-or-complain.ts";
import { COMMAND_NAMES, runPlayCommand } from "./play-commands.ts";
import { keyboardPrompts, linePrompts, type Prompts } from "./prompts.ts";
import { putQuestion } from "./put-question.ts";
import { readPolicy } from "./read-policy.ts";
import { BAD_USAGE, complain, FAILURE } from "./say.ts";
import { createStoryPrinter } from "./story-printer.ts";
import { createTerminal, type Terminal } from "./terminal.ts";
import { clean, wrap } from "./terminal-text.ts";
import { warnOfLevel } from "./warn-of-level.ts";
import { watchStory, type Watching } from "./watch-story.ts";
import { onEndingSignal } from "./signals.ts";

export interface PlayOptions {
  story?: string;
  allowStoryFolder?: boolean;
  data?: string;
  session?: string;
  script?: string;
  json?: boolean;
  policy?: string;
  sandbox: boolean;
  allowUnconfined?: boolean;
}

const STOPS_UNTIL_THE_END = 3;
/** What a program ends with that Ctrl+C has ended. */
const INTERRUPTED = 130;

export async function playCommand(options: PlayOptions): Promise<number> {
  const policy = await readPolicy(options.policy);
  if (policy.kind === "wrong") return complain(policy.message, BAD_USAGE);
  if (options.script !== undefined && !isFile(options.script)) {
    return complain(`cannot read ${options.script}: there is no such file`, BAD_USAGE);
  }
  const noStory = objectToStory(options.story);
  if (noStory !== null) return complain(noStory, BAD_USAGE);
  // Events alone on stdout: whatever else there is to say goes to stderr.
  const terminal = createTerminal(options.json ? process.stderr : process.stdout);
  const isPerson = options.script === undefined && process.stdin.isTTY && terminal.isLive && !options.json;
  const host = await openOrComplain({ ...placeOf(options), policy: policy.policy, mayAsk: isPerson });
  if (host === null) return FAILURE;
  const { sessions } = host;
  warnOfLevel(host.sandboxLevel);
  try {
    const sessionId = await chooseSession(sessions, options);
    if (isRefusal(sessionId)) return explain(sessionId);
    const prompts = isPerson ? keyboardPrompts(terminal, COMMAND_NAMES) : linePrompts(terminal, options.script ?? null);
    try {
      return await play(sessions, sessionId, prompts, terminal, options.json === true);
    } finally {
      prompts.close();
    }
  } finally {
    await host.close();
  }
}

function placeOf(options: PlayOptions): NarratoriaOptions {
  // A script is a test more often than a game: what it plays is kept only where somebody says so.
  const keepsNothing = options.script !== undefined && options.data === undefined && options.session === undefined;
  return {
    dataDir: keepsNothing ? undefined : dataFolder(options.data),
    ...storiesWith(options.story),
    // A session that was named is played alone: it is its story that the policy is meant for.
    ...(options.session !== undefined && { policyHoldsFor: () => true }),
    allowStoryFolder: options.allowStoryFolder,
    sandbox: options.sandbox ? "best" : "none",
    allowUnconfined: options.allowUnconfined,
  };
}

/** The one that was named, else the last of this story, else a new one. */
async function chooseSession(sessions: SessionService, options: PlayOptions): Promise<string | Refusal> {
  const known = await sessions.list();
  if (options.session !== undefined) {
    const found = findSession(known, options.session);
    if (found.kind === "none") return { kind: "refused", code: "not_found", message: found.message };
    return found.session.sessionId;
  }
  const storyDir = options.story === undefined ? (await sessions.stories())[0]?.dir : resolve(options.story);
  const last = known.find((session) => session.storyDir === storyDir && !session.ended);
  if (last !== undefined) return last.sessionId;
  const created = await sessions.create({ storyDir });
  return isRefusal(created) ? created : created.sessionId;
}

async function play(
  sessions: SessionService,
  firstSessionId: string,
  prompts: Prompts,
  terminal: Terminal,
  isJson: boolean,
): Promise<number> {
  const printer = createStoryPrinter(terminal, async ({ id }) => {
    const asset = id === null ? null : await sessions.asset(id);
    return asset === null || isRefusal(asset) ? null : asset.file;
  });
  let sessionId = firstSessionId;
  const leaving = new AbortController();
  let exitCode = 0;
  // One at a time: who answers one must not answer another with it.
  let questions: Promise<void> = Promise.resolve();
  let watching = await watch(0);

  async function putOpenQuestion(question: AskView): Promise<void> {
    const view = await sessions.view(sessionId);
    if (isRefusal(view) || !view.asks.some(({ askId }) => askId === question.askId)) return;
    const value = await putQuestion(question, prompts, terminal, leaving.signal);
    if (value === null) await sessions.cancel(sessionId);
    else await sessions.answer(sessionId, question.askId, value);
  }

  function watch(after: number): Promise<Watching> {
    const ask = (question: AskView): void => void (questions = questions.then(() => putOpenQuestion(question)));
    if (isJson) return followAsJson(sessions, sessionId, after, ask);
    return watchStory(sessions, sessionId, printer, terminal, ask);
  }

  let timesStopped = 0;
  const stopTurn = (): void => {
    // A tool has some seconds to end in; who does not want to wait for that wants to be gone.
    if (++timesStopped >= STOPS_UNTIL_THE_END) process.exit(INTERRUPTED);
    void sessions.cancel(sessionId);
  };
  const leave = (): void => {
    leaving.abort();
    stopTurn();
  };
  onEndingSignal((signal) => (signal === "SIGINT" && prompts.isPerson ? stopTurn() : leave()));
  process.stdout.on("error", leave);
  await prompts.whileBusy(told(), stopTurn);

  while (!leaving.signal.aborted) {
    const typed = await prompts.next(leaving.signal);
    if (typed === null) break;
    const text = typed.trim();
    if (text === "") continue;
    if (prompts.isPerson) terminal.line();
    let turnId: string | undefined;
    if (text.startsWith("/")) {
      const step = await runPlayCommand(text, { sessions, sessionId, terminal, printer });
      if (step.kind === "leave") break;
      if (step.kind === "refused") {
        exitCode = FAILURE;
        tell(step.message);
      }
      if (step.kind === "turn") turnId = step.turnId;
      if (step.kind === "switch") {
        await watching.caughtUp();
        watching.close();
        ({ sessionId } = step);
        // A fork goes on from its parent's number, and of what it inherits everything was shown.
        watching = await watch(step.isFork ? watching.seq() : 0);
      }
    } else {
      const accepted = await sessions.prompt(sessionId, asChoice(await sessions.view(sessionId), text));
      if (isRefusal(accepted)) {
        exitCode = FAILURE;
        tell(accepted.message);
      } else ({ turnId } = accepted);
    }
    await prompts.whileBusy(told(turnId), stopTurn);
  }
  if (leaving.signal.aborted && !prompts.isPerson) exitCode = FAILURE;
  watching.close();
  const problem = prompts.problem();
  if (problem !== null) return complain(problem);
  if (prompts.isPerson && !isJson)
    terminal.lines(["", terminal.style.dim("The story is kept. Play again to go on."), ""]);
  return exitCode;

  /** The turn, or else whatever is running, has ended and is shown. */
  async function told(turnId?: string): Promise<void> {
    if (turnId === undefined) await sessions.idle(sessionId);
    else await sessions.turnEnded(sessionId, turnId);
    await watching.caughtUp();
    timesStopped = 0;
  }

  function tell(message: string): void {
    terminal.lines([...wrap(clean(message), terminal.columns()).map(terminal.style.yellow), ""]);
  }
}

/** A number stands for the choice with that number, when there is one. */
function asChoice(view: SessionView | Refusal, text: string): Said {
  if (isRefusal(view) || !/^\d{1,3}$/.test(text)) return text;
  const choice = view.choices[Number(text) - 1];
  return choice === undefined ? text : { choiceId: choice.id };
}

function explain(refusal: Refusal): number {
  const problems = refusal.details?.["problems"];
  const lines = (Array.isArray(problems) ? problems : []).map((problem) => {
    const { file, line, pointer, message } = problem as {
      file: string;
      line?: number;
      pointer?: string;
      message: string;
    };
    const place = [file, line, pointer].filter((part) => part !== undefined && part !== null).join(":");
    return `${place}  ${message}`;
  });
  return complain(refusal.message, BAD_USAGE, lines);
}

function isFile(path: string): boolean {
  return existsSync(path) && !statSync(path).isDirectory();
}
