/**
 * Reads a tool's stdout as protocol events while the tool runs, and holds it back when the sink is slow.
 * `process.ts` owns the process and decides what a problem means.
 */
import { EXCERPT_CHARACTERS, createLineSplitter, type Frame } from "@narratoria/tool/ndjson";
import { parseToolEvent, type DoneEvent, type ErrorEvent, type ToolEvent } from "@narratoria/tool/protocol";
import type { RunningProcess } from "../runtime/seams/sandbox.ts";
import type { AttemptPort } from "../runtime/seams/tool-runner.ts";
import { outputLimit, type Ending, type Violation } from "./judge-attempt.ts";

export interface ReadingOptions {
  requestId: string;
  maxLineBytes: number;
  /** What the tool may print in all. */
  maxBytes: number;
  /** Whether messages may quote what the tool printed: not when it knows secrets, half a secret is hard to find. */
  mayQuote: boolean;
  port: AttemptPort;
  /** True once the tool is being ended: its output is drained, not taken. */
  isEnding(): boolean;
  onDone(): void;
  onProblem(ending: Ending): void;
}

export interface ToolOutput {
  /** Settles when stdout has ended (or was destroyed) and the sink has taken everything. */
  readonly finished: Promise<void>;
  /** The sink threw: not the tool's fault, so the run ends with this error instead of an outcome. */
  readonly sinkFailure: { error: unknown } | null;
  readonly done: DoneEvent | null;
  readonly lastError: ErrorEvent | null;
  readonly halfLine: Violation | null;
  readonly linesAfterDone: number;
  readonly warnings: string[];
  bytesRead(): number;
  /** The sink is working. */
  isBusy(): boolean;
  /** The sink rests and nothing has arrived for a moment. */
  isQuiet(): boolean;
}

const MOST_WARNINGS = 100;
/** Asset ids must be unique, so they are all remembered: this bounds how many. */
const MOST_ASSETS = 10_000;
const QUIET_MS = 20;

export function readEvents(process: RunningProcess, options: ReadingOptions): ToolOutput {
  const { requestId, port } = options;
  const splitter = createLineSplitter({ maxLineBytes: options.maxLineBytes });
  const assetIds = new Set<string>();
  const warnings: string[] = [];
  let done: DoneEvent | null = null;
  let lastError: ErrorEvent | null = null;
  let halfLine: Violation | null = null;
  let linesAfterDone = 0;
  let bytes = 0;
  let busy = false;
  let sinkFailure: { error: unknown } | null = null;
  let lastChunkAt = performance.now();

  async function read(): Promise<void> {
    try {
      for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
        busy = true;
        bytes += chunk.length;
        if (bytes > options.maxBytes) options.onProblem({ kind: "refused", error: outputLimit(options.maxBytes) });
        await takeAll(splitter.push(chunk));
        lastChunkAt = performance.now();
        busy = false;
      }
    } catch {
      // The stream was destroyed under the loop, by us or by a broken pipe: what arrived has been taken.
      return;
    }
    await takeAll(splitter.end());
  }

  async function takeAll(frames: Frame[]): Promise<void> {
    try {
      for (const frame of frames) {
        if (done === null && options.isEnding()) break;
        const pending = take(frame);
        if (pending !== undefined) await pending;
      }
      const flushing = port.flush();
      if (flushing !== undefined) await flushing;
    } catch (error) {
      sinkFailure ??= { error };
      options.onProblem({ kind: "cancelled", reason: error });
    }
  }

  /** Returns a promise only when there is something to wait for: a promise per event would halve the throughput. */
  function take(frame: Frame): Promise<void> | undefined {
    if (done !== null) {
      linesAfterDone++;
      return;
    }
    if (frame.kind === "bad_line")
      return reject(frame, { code: frame.code, message: describe(frame, frame.reason, options) });
    const reading = parseToolEvent(frame.text);
    if (reading.kind === "violation") {
      return reject(frame, { code: reading.code, message: describe(frame, reading.reason, options) });
    }
    const { event } = reading;
    const repeated = findRepeatedAsset(event);
    if (repeated !== null) return reject(frame, { code: "INVALID_EVENT", message: describe(frame, repeated, options) });

    for (const warning of reading.warnings) warn(`line ${frame.number}: ${warning}`);
    if (typeof event.requestId === "string" && event.requestId !== requestId) {
      warn(`line ${frame.number}: "requestId" is not this invocation's`);
    }
    if (event.type === "error") lastError = event;
    if (event.type === "done") {
      done = event;
      options.onDone();
    }
    const received = { event, text: frame.text, warnings: reading.warnings };
    const reply = port.take(
      event.type === "asset" ? { ...received, asset: process.asset(event.path, event.mediaType) } : received,
    );
    if (reply instanceof Promise) {
      return reply.then((error) => {
        if (error !== undefined) options.onProblem({ kind: "refused", error });
      });
    }
    if (reply !== undefined) options.onProblem({ kind: "refused", error: reply });
    return;
  }

  function reject(frame: Frame, violation: Violation): undefined {
    if (frame.terminated) options.onProblem({ kind: "violation", violation });
    else halfLine = violation;
  }

  function findRepeatedAsset(event: ToolEvent): string | null {
    if (event.type !== "asset") return null;
    if (assetIds.has(event.assetId)) return `"assetId" ${JSON.stringify(event.assetId)} was used before`;
    assetIds.add(event.assetId);
    return assetIds.size > MOST_ASSETS ? `more than ${MOST_ASSETS} assets` : null;
  }

  function warn(message: string): void {
    if (warnings.length < MOST_WARNINGS) warnings.push(message);
    else if (warnings.length === MOST_WARNINGS) warnings.push("more warnings were left out");
  }

  const finished = read();
  return {
    finished,
    get sinkFailure() {
      return sinkFailure;
    },
    warnings,
    get done() {
      return done;
    },
    get lastError() {
      return lastError;
    },
    get halfLine() {
      return halfLine;
    },
    get linesAfterDone() {
      return linesAfterDone;
    },
    bytesRead: () => bytes,
    isBusy: () => busy,
    isQuiet: () => !busy && performance.now() - lastChunkAt > QUIET_MS,
  };
}

/** What went wrong, where, and the beginning of the line. */
function describe(frame: Frame, reason: string, { mayQuote }: ReadingOptions): string {
  if (!mayQuote) return `line ${frame.number}: not a valid event (not quoted, for the tool knows secrets)`;
  const excerpt = frame.kind === "line" ? frame.text.slice(0, EXCERPT_CHARACTERS) : frame.excerpt;
  return `line ${frame.number}: ${reason}: ${excerpt}`;
}
