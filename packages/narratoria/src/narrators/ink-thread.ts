/**
 * Keeps a thread warm that plays ink (`ink-worker.ts`) and ends it when a pass takes too long: an endless loop in a story
 * is the author's mistake and must not be the player's or the host's.
 *
 * 1. One pass at a time; the limit counts from when the thread takes the pass.
 * 2. A thread that was ended or died is replaced at the next pass.
 * 3. An idle thread does not keep the process alive.
 */
import { Worker } from "node:worker_threads";
import type { InkPass, InkPassRequest } from "./ink-play.ts";
import type { Synonyms } from "./words.ts";

export interface InkThreadData {
  json: string;
  synonyms: Synonyms;
}

export interface InkThread {
  play(request: InkPassRequest): Promise<InkPass>;
  close(): Promise<void>;
}

export function createInkThread(data: InkThreadData, timeLimitMs: number): InkThread {
  let worker: Worker | null = null;
  let latest: Promise<unknown> = Promise.resolve();

  const playNow = async (request: InkPassRequest): Promise<InkPass> => {
    worker ??= startWorker(data, () => (worker = null));
    const pass = await ask(worker, request, timeLimitMs);
    if (pass.kind !== "lost") return pass;
    await worker?.terminate();
    return { kind: "failed", message: pass.message };
  };

  return {
    play: (request) => {
      const pass = latest.then(() => playNow(request));
      latest = pass.catch(() => null);
      return pass;
    },
    close: async () => {
      await latest;
      await worker?.terminate();
      worker = null;
    },
  };
}

function startWorker(data: InkThreadData, onExit: () => void): Worker {
  // From source this file is TypeScript; published, it is JavaScript.
  const file = import.meta.url.endsWith(".ts") ? "./ink-worker.ts" : "./ink-worker.js";
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: data,
    // A story that never stops writing runs into this before the machine suffers.
    resourceLimits: { maxOldGenerationSizeMb: 256 },
    // ink prints stack traces of its own; they help nobody who plays. Left unread: reading keeps the process alive.
    stdout: true,
    stderr: true,
  });
  // Nobody may be listening when an idle thread fails: that must not become the host's error.
  worker.on("error", () => {}).on("exit", onExit);
  worker.unref();
  return worker;
}

function ask(
  worker: Worker,
  request: InkPassRequest,
  limit: number,
): Promise<InkPass | { kind: "lost"; message: string }> {
  return new Promise((resolve) => {
    const settle = (answer: InkPass | { kind: "lost"; message: string }): void => {
      clearTimeout(timer);
      worker.off("message", settle).off("error", onError).off("exit", onExit);
      worker.unref();
      resolve(answer);
    };
    const onError = (error: Error): void => settle({ kind: "lost", message: error.message });
    const onExit = (): void => settle({ kind: "lost", message: "the thread that plays ink ended" });
    const timer = setTimeout(() => settle({ kind: "lost", message: `no choice within ${limit} ms` }), limit);
    worker.once("message", settle).once("error", onError).once("exit", onExit);
    worker.ref();
    worker.postMessage(request, []);
  });
}
