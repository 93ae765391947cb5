/**
 * The connection to a module that is a program: one process, from its start to its end. Requests go in as lines, answers
 * come out in any order. When it is gone, `process-pool.ts` starts another.
 *
 * Invariants:
 * 1. Every call is settled exactly once: by its answer, by its caller giving up, or by the end of the process.
 * 2. `isUp()` turns false before the open calls fail, so whoever calls again at once gets a new process.
 * 3. An answer without an id is the oldest call's, whether or not somebody still waits for it. Once such a module owes an
 *    answer that nobody waits for, it is not called again, and who was called behind that debt gets no answer from it:
 *    its next answer could be anybody's.
 * 4. However it ends, its whole process tree has been killed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, readJson, type Json, type JsonObject } from "@narratoria/tool/json";
import { createLineSplitter, type Frame } from "@narratoria/tool/ndjson";
import type { ModuleError } from "../runtime/seams/modules.ts";
import type { ProcessExit, RunningProcess } from "../runtime/seams/sandbox.ts";
import { MAX_MESSAGE_BYTES, type ModuleAnswer, type ModuleConnection, type ModuleMethod } from "./module-client.ts";
import { idOfUnreadable } from "./answer-id.ts";
import { keepTail } from "./stderr-tail.ts";

interface OpenCall {
  method: ModuleMethod;
  /** When it was sent, an answer was owed that nobody waited for any more. */
  isBehindDebt: boolean;
  settle(answer: ModuleAnswer): void;
}

export interface ModuleProcessOptions {
  maxMessageBytes?: number | undefined;
  /** Between SIGTERM and SIGKILL. */
  terminateGraceMs?: number | undefined;
}

const DRAIN_MS = 1_000;
const MOST_WARNINGS = 100;
const QUOTED_CHARACTERS = 200;
/** Answers it owes that nobody waits for: one that never answers must not fill our memory. */
const MOST_ABANDONED = 100;

export function createStdioConnection(process: RunningProcess, options: ModuleProcessOptions = {}): ModuleConnection {
  const { maxMessageBytes = MAX_MESSAGE_BYTES, terminateGraceMs = 5_000 } = options;
  const splitter = createLineSplitter({ maxLineBytes: maxMessageBytes, quoteEndings: true });
  const stderr = keepTail(process.stderr);
  const open = new Map<string, OpenCall>();
  const abandoned = new Set<string>();
  let hasAnswered = false;
  let answersWithoutId = false;
  /** It answered without an id while it owed an answer: nobody knows any more which is whose. */
  let isTangled = false;
  let isGivenUp = false;
  let warnings: string[] = [];
  let lastId = 0;
  let gone = false;
  let neverStarted: ModuleError | null = null;
  process.stdin.on("error", () => {});

  const finished = read();
  const over = watch();

  function send(method: ModuleMethod, params: JsonObject, signal: AbortSignal): Promise<ModuleAnswer> {
    const id = String(++lastId);
    // Node's readline, which many modules read with, ends lines at these two as well.
    const message = JSON.stringify({ id, method, params });
    const line = `${message.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
    if (Buffer.byteLength(line) > maxMessageBytes) {
      return Promise.resolve({ kind: "failed", error: { code: "bad_request", message: tooLong("the request") } });
    }
    if (!isUp()) {
      if (neverStarted !== null) return Promise.resolve({ kind: "failed", error: neverStarted });
      const error = { code: "unreachable", message: "the module has just ended" };
      return Promise.resolve({ kind: "not_taken", error });
    }
    return new Promise((resolve) => {
      function abandon(): void {
        abandoned.add(id);
        resolve({ kind: "aborted" });
      }
      function settle(answer: ModuleAnswer): void {
        open.delete(id);
        abandoned.delete(id);
        signal.removeEventListener("abort", abandon);
        resolve(answer);
      }
      if (signal.aborted) return resolve({ kind: "aborted" });
      open.set(id, { method, isBehindDebt: abandoned.size > 0, settle });
      signal.addEventListener("abort", abandon, { once: true });
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
    const reading = frame.kind === "line" ? readJson(frame.text) : null;
    if (reading?.kind !== "value") return takeUnreadable(frame, reading?.kind === "too_deep");
    const body = reading.value;
    if (!isJsonObject(body)) return skip(frame);
    const id = body["id"] ?? null;
    // Without an id it might be a line of somebody's log in JSON.
    if (id === null && !isResponse(body, callOf(null)?.method)) return skip(frame);
    hasAnswered = true;
    if (id === null) noteMissingId();
    callOf(id)?.settle({
      kind: "body",
      body,
      otherwise: { code: "internal", message: "the answer is neither a success nor a failure" },
    });
  }

  function takeUnreadable(frame: Frame, isTooDeep: boolean): void {
    const call = open.get(idOfUnreadable(frame) ?? "");
    if (call === undefined) return skip(frame);
    hasAnswered = true;
    const json = isTooDeep ? "nested too deep" : "not valid JSON";
    const message = `the answer cannot be read: it is ${frame.kind === "line" ? json : frame.reason}`;
    call.settle({ kind: "failed", error: { code: "internal", message } });
  }

  function noteMissingId(): void {
    answersWithoutId = true;
    if (abandoned.size === 0) return;
    isTangled = true;
    const message = "the module answers without an id, and owed an older answer; another one takes the next call";
    for (const call of open.values()) {
      if (call.isBehindDebt) call.settle({ kind: "failed", error: { code: "unreachable", message } });
    }
  }

  /** Without an id: the oldest. An id that nobody waits for belongs to a late answer. */
  function callOf(id: Json): OpenCall | undefined {
    return id === null ? open.values().next().value : open.get(typeof id === "number" ? String(id) : (id as string));
  }

  function skip(frame: Frame): void {
    const text = frame.kind === "line" ? frame.text : frame.excerpt;
    if (warnings.length < MOST_WARNINGS)
      warnings.push(`skipped what is no response: ${text.slice(0, QUOTED_CHARACTERS)}`);
  }

  /** Waits for the end, by exit or by a closed stdout, whichever is first, and cleans up. */
  async function watch(): Promise<void> {
    const exited = await Promise.race([process.exited, finished.then(() => null)]);
    gone = true;
    // What it said before it went still counts, and how it went is worth a moment of waiting.
    const exit = exited ?? (await Promise.race([process.exited, wait()]));
    if (exit?.kind === "not_started") neverStarted = unreachable(exit, "");
    if (exited !== null) await Promise.race([Promise.all([finished, stderr.ended]), wait()]);
    const error = unreachable(exit, stderr.text());
    // It has done its work and left in good order, perhaps before it saw the next call.
    const kind = hasAnswered && exit?.kind === "exited" && exit.exitCode === 0 ? "not_taken" : "failed";
    for (const call of open.values()) call.settle({ kind, error });
    if (exit === null) await terminate();
    process.signalTree("SIGKILL");
    for (const stream of [process.stdin, process.stdout, process.stderr]) stream.destroy();
    // Nobody waits here who could be told; what it leaves on the disk is found by the next start of a host.
    await process.release().catch(() => {});
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

  function isUp(): boolean {
    if (gone || isGivenUp || isTangled || abandoned.size > MOST_ABANDONED) return false;
    return !(answersWithoutId && abandoned.size > 0);
  }

  /** At once, unless somebody waits for an answer that may still come: who has it last closes it. */
  function giveUp(): void {
    isGivenUp = true;
    const isAwaited = [...open].some(([id, { method }]) => method === "invoke" && !abandoned.has(id));
    if (!isAwaited) void close();
  }

  async function close(): Promise<void> {
    gone = true;
    await terminate();
    await over;
  }

  return {
    send,
    isUp,
    giveUp,
    takeOutput: () => {
      const output = { stderr: stderr.take(), warnings };
      warnings = [];
      return output;
    },
    cpuMs: () => process.cpuMs(),
    close,
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
