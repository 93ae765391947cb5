/**
 * The processes in which a story's text is read and run: a hostile one can burn their time and memory, never the host's.
 * `story-process.ts` is what runs in them; a job is a function of some module, named by its file.
 *
 * 1. A process does one job at a time; the job's time counts from when a process begins it.
 * 2. Jobs of one story (`key`) run one after another, so that one story never holds every process.
 * 3. Over time, too long an answer, or cancelled: the process is killed, and the next job gets another.
 * 4. A process that died of something earlier jobs left behind is no fault of the last: that job gets a second, fresh one.
 * 5. An idle process does not keep the host alive, and every process ends when the host does, however that ends.
 */
import type { Job } from "./story-job.ts";
import { startStoryProcess, type JobEnd, type StoryProcess } from "./story-process-host.ts";

export type JobOutcome<Answer> =
  | { kind: "answer"; answer: Answer }
  /** In words for the log, not for players. */
  | { kind: "lost"; message: string };

export interface StoryProcesses {
  run<Args, Answer>(
    job: Job<Args, Answer>,
    args: Args,
    about: { key: string; signal?: AbortSignal | undefined },
  ): Promise<JobOutcome<Answer>>;
  /** Starts a process before it is needed and has it load a job's module. */
  warmUp(module: URL): void;
  /** Ends all processes. Jobs in them are lost; later ones start new processes. */
  close(): void;
}

interface QueuedJob {
  job: Job<never, unknown>;
  args: unknown;
  key: string;
  signal: AbortSignal | undefined;
  settle(end: JobEnd): void;
}

/** Several, so that a story that hangs does not hold up the others; few, since each may take its whole memory limit. */
const MOST_PROCESSES = 4;
/** Those beyond the first. */
const IDLE_MS = 30_000;

export function createStoryProcesses(): StoryProcesses {
  const queue: QueuedJob[] = [];
  const processes = new Set<StoryProcess>();
  const busy = new Map<StoryProcess, string>();
  const idleTimers = new Map<StoryProcess, NodeJS.Timeout>();

  async function run<Args, Answer>(
    job: Job<Args, Answer>,
    args: Args,
    { key, signal }: { key: string; signal?: AbortSignal | undefined },
  ): Promise<JobOutcome<Answer>> {
    let end = await attempt({ job, args, key, signal });
    if (end.kind === "died" && end.hadServed) end = await attempt({ job, args, key, signal });
    if (end.kind === "answer") return { kind: "answer", answer: end.answer as Answer };
    return { kind: "lost", message: explain(end, job) };
  }

  function attempt(what: Omit<QueuedJob, "settle">): Promise<JobEnd> {
    return new Promise((resolve) => {
      const leave = (): void => {
        const place = queue.indexOf(queued);
        if (place < 0) return;
        queue.splice(place, 1);
        settle({ kind: "cancelled" });
      };
      const settle = (end: JobEnd): void => {
        what.signal?.removeEventListener("abort", leave);
        resolve(end);
      };
      const queued: QueuedJob = { ...what, settle };
      what.signal?.addEventListener("abort", leave, { once: true });
      queue.push(queued);
      startNext();
    });
  }

  function startNext(): void {
    const running = new Set(busy.values());
    const index = queue.findIndex(({ key }) => !running.has(key));
    const next = queue[index];
    if (next === undefined) return;
    const process = findProcess(next.key);
    if (process === null) return;
    queue.splice(index, 1);
    void work(process, next).then(startNext);
    startNext();
  }

  async function work(process: StoryProcess, { job, args, key, signal, settle }: QueuedJob): Promise<void> {
    clearTimeout(idleTimers.get(process));
    busy.set(process, key);
    const end = await process.run(job, args, key, signal);
    busy.delete(process);
    if (!process.isAlive()) processes.delete(process);
    // Ready before the next job comes.
    if (processes.size === 0 && end.kind !== "cancelled") start().load(job.module);
    if (process.isAlive() && processes.size > 1) idleTimers.set(process, endLater(process));
    settle(end);
  }

  /** One that knows the story, else any, else a new one. */
  function findProcess(key: string): StoryProcess | null {
    for (const process of processes) if (!process.isAlive()) processes.delete(process);
    const idle = [...processes].filter((process) => !busy.has(process));
    const found = idle.find((process) => process.knows(key)) ?? idle[0];
    if (found !== undefined) return found;
    return processes.size < MOST_PROCESSES ? start() : null;
  }

  function start(): StoryProcess {
    const process = startStoryProcess();
    processes.add(process);
    return process;
  }

  function endLater(process: StoryProcess): NodeJS.Timeout {
    const end = (): void => {
      if (busy.has(process) || processes.size <= 1) return;
      processes.delete(process);
      process.kill();
    };
    return setTimeout(end, IDLE_MS).unref();
  }

  return {
    run,
    warmUp: (module) => {
      if (processes.size === 0) start().load(module);
    },
    close: () => {
      for (const process of processes) process.kill();
      processes.clear();
    },
  };
}

/** This host's. Shared by all stories, since what they need is the same. */
export const storyProcesses = createStoryProcesses();

function explain(end: Exclude<JobEnd, { kind: "answer" }>, job: Job<never, unknown>): string {
  switch (end.kind) {
    case "over_time":
      return `it took longer than ${job.timeLimitMs} ms`;
    case "too_large":
      return `it came to more than ${job.mostAnswerBytes} bytes`;
    case "died":
      return `its process ended (${end.how}), most likely out of memory`;
    case "threw":
      return end.message;
    case "not_started":
      return end.reason;
    case "cancelled":
      return "it was cancelled";
  }
}
