/**
 * One process of a module, from its start to its end: requests go in as lines, answers come out in any order.
 * `module-stdio.ts` starts the next one when this one is gone.
 *
 * Invariants:
 * 1. Every open call is settled exactly once: by its answer, by its caller giving up, or by the end of the process.
 * 2. `isGone()` turns true before the open calls fail, so whoever calls again at once gets a new process.
 * 3. However it ends, its whole process tree has been killed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, readJson, type Json, type JsonObject } from "@narratoria/tool/json";
import { createLineSplitter, type Frame } from "@narratoria/tool/ndjson";
import type { ModuleError } from "../runtime/seams/modules.ts";
import type { ProcessExit, RunningProcess } from "../runtime/seams/sandbox.ts";
import { MAX_MESSAGE_BYTES, type Answer, type ModuleMethod, type ModuleOutput } from "./module-client.ts";
import { keepTail } from "./stderr-tail.ts";

export interface ModuleProcess {
  send(method: ModuleMethod, params: JsonObject, signal: AbortSignal): Promise<Answer>;
  isGone(): boolean;
  takeOutput(): ModuleOutput;
  /** Closes its input and asks it to end, then makes it. */
  end(): Promise<void>;
}

interface OpenCall {
  method: ModuleMethod;
  settle(answer: Answer): void;
}

export interface ModuleProcessOptions {
  maxMessageBytes?: number | undefined;
  /** Between SIGTERM and SIGKILL. */
  terminateGraceMs?: number | undefined;
}

const DRAIN_MS = 1_000;
const MOST_WARNINGS = 100;
const QUOTED_CHARACTERS = 200;

export function followModule(process: RunningProcess, options: ModuleProcessOptions): ModuleProcess {
  const { maxMessageBytes = MAX_MESSAGE_BYTES, terminateGraceMs = 5_000 } = options;
  const splitter = createLineSplitter({ maxLineBytes: maxMessageBytes });
  const stderr = keepTail(process.stderr);
  const open = new Map<string, OpenCall>();
  let warnings: string[] = [];
  let lastId = 0;
  let gone = false;
  process.stdin.on("error", () => {});

  const finished = read();
  const over = watch();

  function send(method: ModuleMethod, params: JsonObject, signal: AbortSignal): Promise<Answer> {
    const id = String(++lastId);
    // Node's readline, which many modules read with, ends lines at these two as well.
    const message = JSON.stringify({ id, method, params });
    const line = `${message.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
    if (Buffer.byteLength(line) > maxMessageBytes) {
      return Promise.resolve({ kind: "failed", error: { code: "bad_request", message: tooLong("the request") } });
    }
    if (gone)
      return Promise.resolve({ kind: "failed", error: { code: "unreachable", message: "the module has just ended" } });
    return new Promise((resolve) => {
      const giveUp = (): void => settle({ kind: "aborted" });
      function settle(answer: Answer): void {
        open.delete(id);
        signal.removeEventListener("abort", giveUp);
        resolve(answer);
      }
      open.set(id, { method, settle });
      if (signal.aborted) return giveUp();
      signal.addEventListener("abort", giveUp);
      process.stdin.write(line);
    });
  }

  async function read(): Promise<void> {
    try {
      for await (const chunk of process.stdout as AsyncIterable<Buffer>) splitter.push(chunk).forEach(take);
    } catch {
      // Destroyed under the loop: the process is gone, which `watch` sees too.
      return;
    }
    splitter.end().forEach(take);
  }

  function take(frame: Frame): void {
    if (frame.kind === "bad_line") {
      const call =
        frame.code === "LINE_TOO_LONG" ? callOf(/"id"\s*:\s*"(\d+)"/.exec(frame.excerpt)?.[1] ?? null) : undefined;
      if (call === undefined) return skip(frame.excerpt);
      return call.settle({ kind: "failed", error: { code: "internal", message: tooLong("the answer") } });
    }
    const reading = readJson(frame.text);
    if (reading.kind !== "value" || !isJsonObject(reading.value)) return skip(frame.text);
    const body = reading.value;
    const id = body["id"] ?? null;
    // Without an id it might be a line of somebody's log in JSON.
    if (id === null && !isResponse(body, callOf(null)?.method)) return skip(frame.text);
    callOf(id)?.settle({
      kind: "body",
      body,
      otherwise: { code: "internal", message: "the answer is neither a success nor a failure" },
    });
  }

  /** Without an id: the oldest. An id that nobody waits for belongs to a late answer. */
  function callOf(id: Json): OpenCall | undefined {
    return id === null ? open.values().next().value : open.get(typeof id === "number" ? String(id) : (id as string));
  }

  function skip(text: string): void {
    if (warnings.length < MOST_WARNINGS)
      warnings.push(`skipped what is no response: ${text.slice(0, QUOTED_CHARACTERS)}`);
  }

  /** Waits for the end, by exit or by a closed stdout, whichever is first, and cleans up. */
  async function watch(): Promise<void> {
    const exited = await Promise.race([process.exited, finished.then(() => null)]);
    // What it said before it went still counts, and how it went is worth a moment of waiting.
    const exit = exited ?? (await Promise.race([process.exited, wait()]));
    if (exited !== null) await Promise.race([Promise.all([finished, stderr.ended]), wait()]);
    gone = true;
    const error = unreachable(exit, stderr.text());
    for (const call of open.values()) call.settle({ kind: "failed", error });
    if (exit === null) await terminate();
    process.signalTree("SIGKILL");
    for (const stream of [process.stdin, process.stdout, process.stderr]) stream.destroy();
    await process.release();
  }

  async function terminate(): Promise<void> {
    process.stdin.end();
    process.signalTree("SIGTERM");
    const killTimer = setTimeout(() => process.signalTree("SIGKILL"), terminateGraceMs);
    await process.exited;
    clearTimeout(killTimer);
  }

  function tooLong(what: string): string {
    return `${what} has more than ${maxMessageBytes} bytes`;
  }

  return {
    send,
    isGone: () => gone,
    takeOutput: () => {
      const output = { stderr: stderr.take(), warnings };
      warnings = [];
      return output;
    },
    end: async () => {
      gone = true;
      await terminate();
      await over;
    },
  };
}

/** Without a hold on the process: when everything else is done, nobody should wait for this. */
function wait(): Promise<null> {
  return sleep(DRAIN_MS, null, { ref: false });
}

function isResponse(body: JsonObject, method: ModuleMethod | undefined): boolean {
  switch (method) {
    case "health":
      return "status" in body || "ok" in body;
    case "describe":
      return ("name" in body && "kind" in body) || "ok" in body;
    case "invoke":
      return "ok" in body;
    case undefined:
      return false;
  }
}

function unreachable(exit: ProcessExit | null, stderr: string): ModuleError {
  if (exit === null) return { code: "unreachable", message: "the module closed its output", details: { stderr } };
  if (exit.kind === "not_started") return { code: "unreachable", message: exit.reason };
  const { exitCode, signal, overLimit } = exit;
  const details = { exitCode, signal, stderr };
  if (overLimit === "memory") return { code: "oom", message: "the module used more memory than it may", details };
  const how = signal === null ? `with exit code ${exitCode}` : `of ${signal}`;
  return { code: "unreachable", message: `the module ended ${how}`, details };
}
