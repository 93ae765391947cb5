/**
 * What a tool prints, as `runners/read-events.ts` reads it: the same whatever the chunks, and no more and no less than
 * a plain reading of the same lines by the published contract.
 */
import { PassThrough, Readable } from "node:stream";
import { createLineSplitter } from "@narratoria/tool/ndjson";
import type { ToolEvent } from "@narratoria/tool/protocol";
import fc from "fast-check";
import { readEvents } from "../../src/runners/read-events.ts";
import type { RunningProcess } from "../../src/runtime/seams/sandbox.ts";
import { contractValidator } from "../contract-validators.ts";
import { portTo } from "../attempt-port.ts";
import { damaged } from "../mutated-json.ts";
import { cutByByte, cutsOf } from "./cuts.ts";
import { sometimesSpoiled, spoiled } from "./mutate-bytes.ts";
import { must, mustBeSame, mustBeWords, type FuzzTarget } from "./target.ts";
import { TOOL_EVENTS } from "./tool-events.ts";

/** Small, so that lines over the limit are inputs like others. */
export const MOST_LINE_BYTES = 4 * 1024;

export const toolOutput: FuzzTarget = {
  few: 400,
  open: async () => ({ inputs: sometimesSpoiled(outputs), try: tryOutput, close: async () => {} }),
};

const lines = fc.oneof(
  { weight: 6, arbitrary: TOOL_EVENTS.map((event) => JSON.stringify(event)) },
  { weight: 3, arbitrary: damaged(TOOL_EVENTS).map((value) => JSON.stringify(value)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", " ", "\r", "\t \r", "prose", "{", '{"version":"0","type":"done","ok":true}'),
  },
);
const printed = fc
  .tuple(fc.constantFrom("", "\ufeff"), fc.array(lines, { maxLength: 8 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([mark, all, end, isEnded]) => Buffer.from(`${mark}${all.join(end)}${isEnded ? end : ""}`));
const SEEDS = [
  '{"version":"0","type":"log","level":"info","message":"begun","fields":{"progress":0.5}}\n{"version":"0","type":"done","ok":true}\n',
  '{"version":"0","type":"asset","assetId":"a","kind":"image","mediaType":"image/png","path":"a.png"}\r\n'.repeat(2),
  '\ufeff{"version":"0","type":"state_patch","patch":{"a":{"b":null}},"requestId":"r","timestamp":"2026-01-01T00:00:00Z"}\n',
  '{"version":"0","type":"error","errorCode":"E","errorMessage":"m","details":{}}\n{"version":"0","type":"done","ok":false,"summary":"no"}\nmore',
];
export const outputs = fc.oneof({ weight: 2, arbitrary: printed }, { weight: 1, arbitrary: spoiled(SEEDS) });

interface Reading {
  events: ToolEvent[];
  warnings: string[];
  afterDone: number;
  /** The code that ended it, if one did. */
  problem: string | null;
  halfLine: string | null;
}

async function tryOutput(input: Buffer): Promise<string> {
  const readings = await Promise.all(cutsOf(input).map(read));
  const [reading] = readings;
  must(reading !== undefined, "nothing was read");
  for (const other of readings) mustBeSame(reading, other, "two ways to cut the same bytes");
  // Beyond the limit of a line every further byte is like the one before.
  const beginning = input.subarray(0, 2 * MOST_LINE_BYTES);
  mustBeSame(framesOf([beginning]), framesOf(cutByByte(beginning)), "the lines of whole and of single bytes");
  const { warnings, ...rest } = reading;
  const plain = readPlainly(input);
  mustBeSame(asPlain(rest, plain), plain, "what was read, and a plain reading,");
  must(warnings.length <= 101, "warnings without end");
  for (const warning of warnings) mustBeWords(warning, "a warning");
  const kinds = [...new Set(reading.events.map(({ type }) => type))].toSorted().join("+");
  return [kinds || "no event", reading.problem, reading.halfLine].filter((word) => word !== null).join(", ");
}

export async function read(chunks: Buffer[]): Promise<Reading> {
  const events: ToolEvent[] = [];
  let problem: string | null = null;
  const output = readEvents(processPrinting(chunks), {
    requestId: "r",
    maxLineBytes: MOST_LINE_BYTES,
    maxBytes: Infinity,
    mayQuote: true,
    port: portTo(({ event, text }) => {
      mustBeSame(JSON.parse(text), event, "an event and its line");
      events.push(event);
      return undefined;
    }),
    isEnding: () => problem !== null,
    onDone: () => {},
    onProblem: (ending) => {
      if (ending.kind === "violation") mustBeWords(ending.violation.message, "a violation");
      problem ??= ending.kind === "violation" ? ending.violation.code : ending.kind;
    },
  });
  await output.finished;
  if (output.sinkFailure !== null) throw output.sinkFailure.error;
  const { warnings, linesAfterDone: afterDone, halfLine } = output;
  return { events, warnings: [...warnings], afterDone, problem, halfLine: halfLine?.code ?? null };
}

function framesOf(chunks: Buffer[]): unknown {
  const splitter = createLineSplitter({ maxLineBytes: MOST_LINE_BYTES });
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

const isEvent = contractValidator("tool-event");

/** The same by the shortest way: whole lines, the platform's own parsers, the contract. */
function readPlainly(input: Buffer): Omit<Reading, "warnings"> {
  const reading: Omit<Reading, "warnings"> = { events: [], afterDone: 0, problem: null, halfLine: null };
  const assets = new Set<string>();
  const hasMark = input.subarray(0, 3).equals(Buffer.from("\ufeff"));
  const parts = splitAt(hasMark ? input.subarray(3) : input, 0x0a);
  const last = parts.length - 1;
  for (const [index, bytes] of parts.entries()) {
    if (index === last && bytes.length === 0) break;
    if (bytes.length <= MOST_LINE_BYTES && /^[ \t\r]*$/.test(bytes.toString("latin1"))) continue;
    if (reading.events.at(-1)?.type === "done") {
      reading.afterDone++;
      continue;
    }
    const judged = judge(bytes, assets);
    if (typeof judged !== "string") reading.events.push(judged);
    // A line that is too long is told of before anybody knows whether it ends.
    else if (index < last || judged === "LINE_TOO_LONG") {
      reading.problem = judged;
      break;
    } else reading.halfLine = judged;
  }
  return reading;
}

function judge(bytes: Buffer, assets: Set<string>): ToolEvent | string {
  if (bytes.length > MOST_LINE_BYTES) return "LINE_TOO_LONG";
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r$/, "");
  } catch {
    return "INVALID_UTF8";
  }
  const isDeep = depthOf(text) > 256;
  let value: unknown;
  try {
    value = JSON.parse(text, (_, inner: unknown) => {
      if (inner === Infinity || inner === -Infinity) throw new Error("not finite");
      return inner;
    });
    // The reviver drops nothing but assigns: a key named __proto__ would be lost.
    value = JSON.parse(text);
  } catch {
    return isDeep ? DEEP_AND_INVALID : "INVALID_JSON";
  }
  if (isDeep) return "TOO_DEEP";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "NOT_AN_OBJECT";
  const { version, type } = value as { version?: unknown; type?: unknown };
  if (version !== "0") return "BAD_VERSION";
  if (!["log", "state_patch", "asset", "ui_event", "error", "done"].includes(type as string)) return "UNKNOWN_TYPE";
  if (!isEvent(value)) return "INVALID_EVENT";
  const event = value as ToolEvent;
  if (event.type === "asset" && assets.size === assets.add(event.assetId).size) return "INVALID_EVENT";
  return event;
}

/** Which of the two is said first is nobody's business. */
const DEEP_AND_INVALID = "TOO_DEEP or INVALID_JSON";

function asPlain(reading: Omit<Reading, "warnings">, plain: Omit<Reading, "warnings">): Omit<Reading, "warnings"> {
  const same = (code: string | null, other: string | null): string | null =>
    other === DEEP_AND_INVALID && code !== null && other.includes(code) ? other : code;
  return {
    ...reading,
    problem: same(reading.problem, plain.problem),
    halfLine: same(reading.halfLine, plain.halfLine),
  };
}

/** How deep brackets stand outside of strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\[^])*(?:"|$)|[[\]{}]/g)) {
    if (token === "{" || token === "[") deepest = Math.max(deepest, ++depth);
    else if (token === "}" || token === "]") depth--;
  }
  return deepest;
}

function splitAt(bytes: Buffer, byte: number): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, from)) {
    parts.push(bytes.subarray(from, at));
    from = at + 1;
  }
  return [...parts, bytes.subarray(from)];
}

function processPrinting(chunks: Buffer[]): RunningProcess {
  return {
    stdin: new PassThrough(),
    stdout: Readable.from(chunks.filter((chunk) => chunk.length > 0)),
    stderr: Readable.from([]),
    exited: Promise.resolve({ kind: "exited", exitCode: 0, signal: null, overLimit: null }),
    signalTree: () => {},
    cpuMs: () => null,
    readsCopies: false,
    asset: (_, mediaType) => ({ mediaType, open: () => Promise.resolve({ kind: "refused", reason: "none" }) }),
    release: () => Promise.resolve(),
  };
}
