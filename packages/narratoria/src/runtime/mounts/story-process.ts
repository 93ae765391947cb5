/**
 * What runs in a story's process: takes jobs, one at a time, and answers each. `story-process-host.ts` is its other end.
 *
 * It ends with its host even while a job spins: a second thread waits for the host's end of the answers' channel to
 * close, which it does however the host ends.
 */
import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { createLineSplitter } from "@narratoria/tool/ndjson";
import type { ProcessAnswer, ProcessRequest } from "./story-process-host.ts";

const ANSWERS = 3;
/** The host is trusted with what it asks; this only keeps the splitter from cutting it. */
const MOST_REQUEST_BYTES = 512 * 1024 * 1024;

const BEGUN = Buffer.from(JSON.stringify({ kind: "begun" } satisfies ProcessAnswer));
const TOO_LARGE = Buffer.from(JSON.stringify({ kind: "too_large" } satisfies ProcessAnswer));

const WATCHDOG = `
  const { readSync } = require("node:fs");
  try {
    while (readSync(${ANSWERS}, Buffer.alloc(1)) > 0);
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
`;

const watchdog = new Worker(WATCHDOG, { eval: true });
// Nobody would notice the host's end: better to be missed at once.
watchdog.on("error", () => process.exit(1));

const splitter = createLineSplitter({ maxLineBytes: MOST_REQUEST_BYTES });
for await (const chunk of process.stdin) {
  for (const frame of splitter.push(chunk as Buffer)) {
    if (frame.kind === "line") await obey(JSON.parse(frame.text) as ProcessRequest);
  }
}

async function obey(request: ProcessRequest): Promise<void> {
  if (request.kind === "load") await import(request.module);
  else answer(await work(request), request.mostAnswerBytes);
}

async function work({ module, name, args }: Extract<ProcessRequest, { kind: "job" }>): Promise<ProcessAnswer> {
  try {
    const jobs = (await import(module)) as Record<string, (args: unknown) => unknown>;
    const job = jobs[name];
    if (job === undefined) throw new Error(`there is no job ${name}`);
    send(BEGUN);
    return { kind: "answer", answer: await job(args) };
  } catch (error) {
    return { kind: "threw", message: (error as Error).message };
  }
}

function answer(given: ProcessAnswer, mostBytes: number): void {
  const bytes = asBytes(given);
  send(bytes !== null && bytes.length <= mostBytes ? bytes : TOO_LARGE);
}

/** Null when it is longer than a string can be. */
function asBytes(given: ProcessAnswer): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(given));
  } catch {
    return null;
  }
}

function send(line: Buffer): void {
  const bytes = Buffer.concat([line, Buffer.from("\n")]);
  for (let sent = 0; sent < bytes.length;) sent += writeSync(ANSWERS, bytes, sent);
}
