/**
 * Reads what a Python server says about itself and its calls. The tool's module is imported in that very process, so all
 * of it may be the tool's invention: a message is taken only when it is exactly what could have been said.
 */
import type { Buffer } from "node:buffer";
import { constants } from "node:os";
import { isAbsolute } from "node:path";
import { isJsonObject, readJson, type Json, type JsonObject } from "@narratoria/tool/json";
import { isInside } from "../../runtime/mounts/real-location.ts";
import type { CallExit } from "./response.ts";

export interface Hello {
  /** The interpreter's own path. */
  python: string;
  /** "threads": its module runs threads, so it cannot be forked safely. */
  imported: "ready" | "failed" | "threads" | "not yet";
  /** Whose change makes it out of date. */
  files: string[];
}

const IMPORTED = ["ready", "failed", "threads", "not yet"] as const;
const MOST_FILES = 2_000;
const MOST_PATH = 4_096;
const MOST_SIGNAL = 64;

/** `shown`: the folders the process sees; null when it sees everything. We look at no others because it says so. */
export function readHello(data: Buffer, id: string, shown: readonly string[] | null): Hello | null {
  const message = readMessage(data, id);
  if (message === null) return null;
  const { python, files } = message;
  const imported = IMPORTED.find((outcome) => outcome === message["imported"]);
  if (imported === undefined || !isPath(python) || !Array.isArray(files) || files.length > MOST_FILES) return null;
  if (!files.every(isPath)) return null;
  const isShown = (file: string): boolean => shown === null || shown.some((folder) => isInside(file, folder));
  return { python, imported, files: files.filter(isShown) };
}

export function isBegin(data: Buffer, id: string): boolean {
  return readMessage(data, id) !== null;
}

export function readExit(data: Buffer, id: string): CallExit | null {
  const message = readMessage(data, id);
  if (message === null) return null;
  const { exitCode, signal } = message;
  if (signal === null && isWithin(exitCode, 0, 255)) return { exitCode, signal: null };
  if (exitCode !== null || !isWithin(signal, 1, MOST_SIGNAL)) return null;
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
  return { exitCode: null, signal: name ?? `signal ${signal}` };
}

/** Null when it is no message, or one that answers something else. */
function readMessage(data: Buffer, id: string): JsonObject | null {
  const reading = readJson(data.toString("utf8"));
  if (reading.kind !== "value" || !isJsonObject(reading.value)) return null;
  return reading.value["id"] === id ? reading.value : null;
}

function isPath(value: Json | undefined): value is string {
  return typeof value === "string" && value.length <= MOST_PATH && isAbsolute(value) && !value.includes("\0");
}

function isWithin(value: Json | undefined, least: number, most: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}
