/**
 * The tool protocol, version "0": what a tool is told on stdin and the six events it may print on stdout.
 * `ndjson.ts` turns bytes into lines; `index.ts` is the SDK that prints them.
 */
import { isJsonObject, readJson, type Json, type JsonObject } from "./json.ts";

export const PROTOCOL_VERSION = "0";
export const EVENT_TYPES = ["log", "state_patch", "asset", "ui_event", "error", "done"] as const;
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

export type EventType = (typeof EVENT_TYPES)[number];
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface EventEnvelope {
  version: typeof PROTOCOL_VERSION;
  requestId?: string | null | undefined;
  timestamp?: string | null | undefined;
}
export interface LogEvent extends EventEnvelope {
  type: "log";
  level: LogLevel;
  message: string;
  fields?: JsonObject | null | undefined;
}
export interface StatePatchEvent extends EventEnvelope {
  type: "state_patch";
  patch: JsonObject;
}
export interface AssetEvent extends EventEnvelope {
  type: "asset";
  assetId: string;
  kind: string;
  mediaType: string;
  path: string;
  metadata?: JsonObject | null | undefined;
}
export interface UiEvent extends EventEnvelope {
  type: "ui_event";
  event: string;
  payload?: JsonObject | null | undefined;
}
export interface ErrorEvent extends EventEnvelope {
  type: "error";
  errorCode: string;
  errorMessage: string;
  details?: JsonObject | null | undefined;
}
export interface DoneEvent extends EventEnvelope {
  type: "done";
  ok: boolean;
  summary?: string | null | undefined;
}
export type ToolEvent = LogEvent | StatePatchEvent | AssetEvent | UiEvent | ErrorEvent | DoneEvent;

/** The one line of JSON a tool finds on stdin. Later versions may add fields: ignore what you do not know. */
export interface ToolInput<Input = JsonObject> {
  requestId: string;
  tool: string;
  operation: string;
  input: Input;
  context: {
    /** What the tools this one depends on gave; null where an optional one failed. */
    dependencies: { [toolId: string]: Json };
    /** The part of the session state the manifest's `reads` names; null when it is too large to send whole. */
    state: JsonObject | null;
  };
}

/** One choice of a `narrative_choice` event. */
export interface Choice {
  id?: string | undefined;
  label: string;
  hint?: string | undefined;
  difficulty?: string | number | undefined;
}

export type ViolationCode =
  | "INVALID_UTF8"
  | "INVALID_JSON"
  | "NOT_AN_OBJECT"
  | "LINE_TOO_LONG"
  | "TOO_DEEP"
  | "BAD_VERSION"
  | "UNKNOWN_TYPE"
  | "INVALID_EVENT";

export type EventReading =
  | { kind: "event"; event: ToolEvent; warnings: readonly string[] }
  | { kind: "violation"; code: ViolationCode; reason: string };

const NO_WARNINGS: readonly string[] = [];

/** Reads one line of a tool's output. */
export function parseToolEvent(line: string): EventReading {
  const reading = readJson(line);
  if (reading.kind === "too_deep") return violation("TOO_DEEP", "JSON nested deeper than 256 levels");
  if (reading.kind === "invalid") return violation("INVALID_JSON", `not valid JSON: ${reading.reason}`);
  const checked = checkToolEvent(reading.value);
  if (checked.kind === "violation" || !reading.hasUnsafeInteger) return checked;
  return { ...checked, warnings: [...checked.warnings, "an integer beyond 2^53 lost precision"] };
}

/** Checks a parsed value: object, version, type, fields, in this order. Unknown fields are left alone. */
export function checkToolEvent(value: unknown): EventReading {
  if (!isJsonObject(value)) return violation("NOT_AN_OBJECT", `expected a JSON object, got ${nameOf(value)}`);
  if (value["version"] !== PROTOCOL_VERSION) {
    return violation("BAD_VERSION", `"version" must be the string "0", got ${show(value["version"])}`);
  }
  const problem = findFieldProblem(value);
  if (problem !== null) return problem;
  const timestamp = value["timestamp"];
  const warnings =
    typeof timestamp === "string" && !isTimestamp(timestamp)
      ? [`"timestamp" is no ISO 8601 time: ${show(timestamp)}`]
      : NO_WARNINGS;
  return { kind: "event", event: value as JsonObject & ToolEvent, warnings };
}

function findFieldProblem(event: JsonObject): EventReading | null {
  switch (event["type"]) {
    case "log":
      if (!(LOG_LEVELS as readonly unknown[]).includes(event["level"])) {
        return wrong("level", "one of debug, info, warn, error", event["level"]);
      }
      return needText(event, "message") ?? allowObject(event, "fields") ?? checkEnvelope(event);
    case "state_patch":
      if (!isJsonObject(event["patch"])) return wrong("patch", "an object", event["patch"]);
      return checkEnvelope(event);
    case "asset":
      return (
        needText(event, "assetId") ??
        needText(event, "kind") ??
        needText(event, "mediaType") ??
        (isMediaType(event["mediaType"] as string)
          ? null
          : wrong("mediaType", "a media type like image/png", event["mediaType"])) ??
        needText(event, "path") ??
        allowObject(event, "metadata") ??
        checkEnvelope(event)
      );
    case "ui_event":
      return needText(event, "event") ?? allowObject(event, "payload") ?? checkEnvelope(event);
    case "error":
      return (
        needText(event, "errorCode") ??
        needText(event, "errorMessage") ??
        allowObject(event, "details") ??
        checkEnvelope(event)
      );
    case "done":
      if (typeof event["ok"] !== "boolean") return wrong("ok", "true or false", event["ok"]);
      return allowString(event, "summary") ?? checkEnvelope(event);
    case undefined:
      return violation("UNKNOWN_TYPE", `"type" is missing; it must be one of ${EVENT_TYPES.join(", ")}`);
    default:
      return violation("UNKNOWN_TYPE", `unknown type ${show(event["type"])}; known are ${EVENT_TYPES.join(", ")}`);
  }
}

function checkEnvelope(event: JsonObject): EventReading | null {
  return allowString(event, "requestId") ?? allowString(event, "timestamp");
}

function needText(event: JsonObject, field: string): EventReading | null {
  const value = event[field];
  return typeof value === "string" && value !== "" ? null : wrong(field, "a non-empty string", value);
}

function allowString(event: JsonObject, field: string): EventReading | null {
  const value = event[field];
  return value === undefined || value === null || typeof value === "string" ? null : wrong(field, "a string", value);
}

function allowObject(event: JsonObject, field: string): EventReading | null {
  const value = event[field];
  return value === undefined || value === null || isJsonObject(value) ? null : wrong(field, "an object", value);
}

function wrong(field: string, expected: string, got: unknown): EventReading {
  return violation("INVALID_EVENT", `"${field}" must be ${expected}, got ${show(got)}`);
}

function violation(code: ViolationCode, reason: string): EventReading {
  return { kind: "violation", code, reason };
}

/** RFC 6838 names around the slash, then parameters as RFC 9110 writes them. */
export const MEDIA_TYPE_PATTERN =
  "^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}" +
  '(?:[ \\t]*;[ \\t]*[A-Za-z0-9!#$%&\'*+.^_`|~-]+=(?:[A-Za-z0-9!#$%&\'*+.^_`|~-]+|"[^"\\\\]*"))*$';
const MEDIA_TYPE = new RegExp(MEDIA_TYPE_PATTERN);

export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text);
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text) && !Number.isNaN(Date.parse(text.replace(",", ".")));
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

/** A value in an error message: short, on one line. */
function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
