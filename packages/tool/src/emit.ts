/**
 * What a tool's handler calls to say something: each call is one event, checked and then written as one line.
 * `index.ts` decides when the tool is done and where the lines go.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json, JsonObject } from "./json.ts";
import { DEFAULT_MAX_LINE_BYTES } from "./ndjson.ts";
import { parseToolEvent, PROTOCOL_VERSION, type Choice, type LogLevel, type ToolEvent } from "./protocol.ts";

export interface Emit {
  log(level: LogLevel, message: string, fields?: JsonObject): void;
  debug(message: string, fields?: JsonObject): void;
  info(message: string, fields?: JsonObject): void;
  warn(message: string, fields?: JsonObject): void;
  /** How far the tool is: a fraction from 0 to 1, or so many of so many. */
  progress(done: number | { current: number; total: number }, message?: string): void;
  /** Merged into the story's state at once; `null` removes a key. */
  patch(patch: JsonObject): void;
  /** Registers a file; given `bytes`, writes it first. Returns the file's path. */
  asset(asset: AssetFile | AssetBytes): string;
  /** Offers the player choices; the label of the chosen one is their next prompt. */
  choices(choices: readonly (string | Choice)[], prompt?: string): void;
  ui(event: string, payload?: JsonObject): void;
  /** Reports an error and goes on. To stop as well, throw a `ToolError`. */
  error(code: string, message: string, details?: JsonObject): void;
}

interface AssetDescription {
  /** Unique within one invocation. */
  assetId: string;
  mediaType: string;
  /** A broad category; without it, what stands before the slash of `mediaType`. */
  kind?: string;
  metadata?: JsonObject;
}
export interface AssetFile extends AssetDescription {
  path: string;
}
export interface AssetBytes extends AssetDescription {
  bytes: Uint8Array | string;
  /** Without it, the file is named after the asset's id. */
  fileName?: string;
}

type Unversioned<Event> = Event extends unknown ? Omit<Event, "version"> : never;
export type NewEvent = Unversioned<ToolEvent>;

export function createEmit(send: (event: NewEvent) => void, assetDir: () => string): Emit {
  const assetIds = new Set<string>();
  const log = (level: LogLevel, message: string, fields?: JsonObject): void =>
    send({ type: "log", level, message, fields });

  return {
    log,
    debug: (message, fields) => log("debug", message, fields),
    info: (message, fields) => log("info", message, fields),
    warn: (message, fields) => log("warn", message, fields),
    progress(done, message) {
      const { percent, fields } = readProgress(done);
      log("info", message ?? `${percent} %`, fields);
    },
    patch: (patch) => send({ type: "state_patch", patch }),
    asset(asset) {
      const { assetId, mediaType, metadata } = asset;
      if (assetIds.has(assetId)) throw new TypeError(`the asset id ${JSON.stringify(assetId)} was used before`);
      const path = "path" in asset ? asset.path : writeAsset(asset, assetDir());
      const kind = asset.kind ?? String(mediaType).split("/", 1)[0] ?? "";
      send({ type: "asset", assetId, kind, mediaType, path, metadata });
      assetIds.add(assetId);
      return path;
    },
    choices(choices, prompt) {
      if (!Array.isArray(choices) || choices.length === 0)
        throw new TypeError("choices must be a list of at least one");
      for (const choice of choices as readonly (string | Choice)[]) {
        const label: unknown = typeof choice === "string" ? choice : choice?.label;
        if (typeof label !== "string" || label === "") throw new TypeError("a choice needs a label");
      }
      const payload = { choices: choices as Json[], ...(prompt === undefined ? {} : { prompt }) };
      send({ type: "ui_event", event: "narrative_choice", payload });
    },
    ui: (event, payload) => send({ type: "ui_event", event, payload }),
    error: (code, message, details) => send({ type: "error", errorCode: code, errorMessage: message, details }),
  };
}

/** One event as the line the host will read. What the host would refuse is a TypeError here, in the author's hands. */
export function toLine(event: NewEvent): string {
  const line = JSON.stringify({ version: PROTOCOL_VERSION, ...event }, refuseNonFinite);
  if (Buffer.byteLength(line) > DEFAULT_MAX_LINE_BYTES) {
    throw new TypeError(`a ${event.type} event is over 8 MiB: write the data to a file and emit it as an asset`);
  }
  const reading = parseToolEvent(line);
  if (reading.kind === "violation") throw new TypeError(`${event.type} event: ${reading.reason}`);
  return `${line}\n`;
}

/** JSON.stringify would write null, and a null in a patch removes the key. */
function refuseNonFinite(key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`"${key}" is ${value}, not a number`);
  return value;
}

function readProgress(done: number | { current: number; total: number }): { percent: number; fields: JsonObject } {
  if (typeof done === "number" && Number.isFinite(done)) {
    const progress = Math.min(1, Math.max(0, done));
    return { percent: Math.round(100 * progress), fields: { progress } };
  }
  if (typeof done === "object" && done !== null && done.current >= 0 && done.total > 0) {
    const { current, total } = done;
    return { percent: Math.round((100 * current) / total), fields: { current, total } };
  }
  throw new TypeError("progress is a fraction from 0 to 1, or {current, total}");
}

function writeAsset(asset: AssetBytes, folder: string): string {
  const path = join(folder, String(asset.fileName ?? asset.assetId).replace(/[^\w.-]+/g, "_"));
  // Never over an older file: the host may still be copying it.
  writeFileSync(path, asset.bytes, { flag: "wx" });
  return path;
}

/** The folder the host made for this invocation; run by hand, a temporary one. */
export function findAssetDir(): string {
  return process.env["NARRATORIA_ASSET_DIR"] ?? (madeDir ??= mkdtempSync(join(tmpdir(), "narratoria-")));
}
let madeDir: string | undefined;
