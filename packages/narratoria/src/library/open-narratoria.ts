/**
 * The library: `openNarratoria` gives a program its own host of stories, with whatever it brings in place of ours.
 * `create-narratoria.ts` puts the parts together; the command line and the server stand on what is opened here.
 */
import { createToolHost, DataFolderInUse, openSessions, openSessionsReadOnly } from "../create-narratoria.ts";
import type { RunnersByProtocol } from "../runners/mounted-runner.ts";
import { KEEPS_NOTHING, offerOfManifest, type MountRunner } from "../runners/mount-runner.ts";
import type { NarratorKind } from "../runtime/mounts/load-story.ts";
import { STORY_FILE } from "../runtime/mounts/read-story-file.ts";
import type { Hook, Hooks } from "../runtime/policy/hooks.ts";
import type { ToolDirectory } from "../runtime/policy/tool-directory.ts";
import { diskTroubleIn } from "../runtime/seams/disk-trouble.ts";
import type { DescriptorShares } from "../runtime/seams/descriptors.ts";
import type { NewSession, PromptOptions, Refusal, Said, SessionService } from "../runtime/seams/session-service.ts";
import { StoreError } from "../stores/open-database.ts";
import { makeEmptyDataFolder } from "../stores/data-folder-check.ts";
import type { NarratoriaEvent } from "../story/event.ts";
import type { SandboxLevel } from "../story/execution-result.ts";
import { checkNarratoriaOptions, checkPlanRunnerOptions } from "./check-options.ts";
import type { BroughtNarrator, BroughtRunner, NarratoriaOptions, PlanRunnerOptions } from "./options.ts";
import { readSessionEvents, type EventsOptions } from "./read-events.ts";
import { runPlan, type PlanRun, type RunPlanOptions } from "./run-plan.ts";
import { beginAndWait, sayAndWait, type Told } from "./told.ts";

export interface PlanRunner {
  /** Runs Plan JSON once, without a session. */
  runPlan(plan: unknown, options: RunPlanOptions): Promise<PlanRun | Refusal>;
  readonly sandboxLevel: SandboxLevel;
  close(): Promise<void>;
}

export interface Narratoria extends PlanRunner {
  readonly sessions: Sessions;
  readonly tools: ToolDirectory;
  /** How many may be connected, and read, before the system's descriptors run out. */
  readonly shares: DescriptorShares;
  /** Who wants to know what happens, or have a say in it. */
  readonly hooks: { register(hook: Hook): ReturnType<Hooks["register"]> };
}

/** `close` is the host's. */
export interface Sessions extends SessionService {
  /** Starts a session and waits for its opening scene. */
  begin(options?: NewSession): Promise<Told | Refusal>;
  /** Sends a prompt and waits for what the story answers. */
  say(sessionId: string, said: Said, how?: PromptOptions): Promise<Told | Refusal>;
  /** To loop over: what happened, then what happens. */
  events(sessionId: string, options?: EventsOptions): Promise<AsyncIterable<NarratoriaEvent> | Refusal>;
}

/** Why a host could not be opened, in words for people: the data folder is in use, damaged, or may not be written. */
export class CannotOpen extends Error {}

export async function openNarratoria(options: NarratoriaOptions = {}): Promise<Narratoria> {
  checkNarratoriaOptions(options);
  const { stories, narrators, runners, ...rest } = options;
  const host = await orCannotOpen(() =>
    openSessions({
      ...rest,
      runners: completed(runners),
      narrators: kindsOf(narrators ?? {}),
      ...(stories !== undefined && { storyDir: stories[0], otherStories: stories.slice(1) }),
    }),
  );
  const { tools, hooks, toolHost, sandboxLevel, shares } = host;
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= host.close());
  return {
    sessions: sessionsOf({ ...host, close }),
    tools,
    hooks: { register: (hook) => hooks.register(hook) },
    runPlan: (plan, how) => runPlan(toolHost, plan, how),
    sandboxLevel,
    shares,
    close,
  };
}

/** For plans alone: no library is opened, so it works beside a running host; `dataDir` only gets their assets. */
export async function openPlanRunner(options: PlanRunnerOptions = {}): Promise<PlanRunner> {
  checkPlanRunnerOptions(options);
  const { dataDir } = options;
  const host = await orCannotOpen(() => {
    if (dataDir !== undefined) makeEmptyDataFolder(dataDir);
    return createToolHost({ ...options, runners: completed(options.runners) });
  });
  const { sandboxLevel } = host;
  return { runPlan: (plan, how) => runPlan(host, plan, how), sandboxLevel, close: () => host.close() };
}

/** To look at what is kept, also beside a running host; whatever would change something is refused. */
export async function openToRead(dataDir: string): Promise<Sessions> {
  return sessionsOf(await orCannotOpen(() => openSessionsReadOnly(dataDir)));
}

function sessionsOf(service: SessionService): Sessions {
  return {
    ...service,
    begin: (options = {}) => beginAndWait(service, options),
    say: (sessionId, text, how) => sayAndWait(service, sessionId, text, how),
    events: (sessionId, options) => readSessionEvents(service, sessionId, options),
  };
}

function completed(runners: PlanRunnerOptions["runners"] = {}): Partial<RunnersByProtocol> {
  return Object.fromEntries(Object.entries(runners).map(([protocol, runner]) => [protocol, completedRunner(runner)]));
}

/** Method by method: what is brought may be of a class, whose methods a spread would lose. */
function completedRunner(runner: BroughtRunner): MountRunner {
  return {
    run: (call, port, signal) => runner.run(call, port, signal),
    offers: (mount, signal) => runner.offers?.(mount, signal) ?? offerOfManifest(mount),
    endSession: (sessionId) => runner.endSession?.(sessionId) ?? KEEPS_NOTHING.endSession(sessionId),
    close: () => runner.close?.() ?? KEEPS_NOTHING.close(),
  };
}

function kindsOf(narrators: { readonly [name: string]: BroughtNarrator }): Record<string, NarratorKind> {
  return Object.fromEntries(Object.entries(narrators).map(([name, open]) => [name, kindOf(open)]));
}

function kindOf(open: BroughtNarrator): NarratorKind {
  return {
    defaultFile: null,
    open: async (story, signal) => {
      try {
        const narrator = await open(story, signal);
        const close = async (): Promise<void> => narrator.close?.();
        return { kind: "narrator", narrator: { next: (...question) => narrator.next(...question), close } };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { kind: "invalid", problems: [{ file: STORY_FILE, pointer: "/narrator", message }] };
      }
    },
  };
}

async function orCannotOpen<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const isExpected = error instanceof DataFolderInUse || error instanceof StoreError || isOfFiles(error);
    if (!isExpected) throw error;
    throw new CannotOpen(diskTroubleIn(error)?.message ?? (error as Error).message, { cause: error });
  }
}

/** A data folder that cannot be made or written. */
function isOfFiles(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
