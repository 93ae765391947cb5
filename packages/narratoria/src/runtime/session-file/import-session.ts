/**
 * Takes a session file in: checked to its end first, then appended to the log in one go, or not at all. Ids that are
 * known here already get new ones, so that a session can be taken in beside itself.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json, JsonObject } from "@narratoria/tool/json";
import { createLineSplitter } from "@narratoria/tool/ndjson";
import type { NarratoriaEvent } from "../../story/event.ts";
import type { AssetStore } from "../seams/assets.ts";
import { initialStateOf, stateAt, TURNS_PER_SNAPSHOT } from "../sessions/load-view.ts";
import { checkSessionFile } from "./session-file-check.ts";
import type { Refusal } from "../seams/session-service.ts";
import type { FileLine } from "./session-file.ts";
import { recordOf, type LogRecord, type Store } from "../seams/store.ts";

export interface ImportContext {
  store: Store;
  assets: AssetStore;
  newId(): string;
  /** Where a story of that title lies on this machine; null when it is not known here. */
  storyDir(title: string): string | null;
}

export async function importSession(
  context: ImportContext,
  file: AsyncIterable<Uint8Array>,
): Promise<{ sessionId: string } | Refusal> {
  const folder = await mkdtemp(join(tmpdir(), "narratoria-import-"));
  try {
    const checked = await checkSessionFile(file, folder);
    if (checked.kind === "wrong") return refused(checked.message);
    for (const sha256 of [...checked.assets].filter((each) => checked.assetsUsed.has(each))) {
      const taken = await context.assets.take({ path: join(folder, sha256), within: null });
      if (taken.kind === "refused") return refused(`an asset in the file cannot be kept: ${taken.reason}`);
    }
    const names = createNames(context, readRecords(checked.recordsFile));
    context.store.append(placed(context, names, readRecords(checked.recordsFile)));
    saveSnapshots(context.store, names.sessionId);
    return { sessionId: names.sessionId };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type FileRecord = Extract<FileLine, { kind: "event" | "lines" }>;

interface Names {
  sessionId: string;
  event(id: string): string;
  turn(id: string): string;
  /** A turn that is not in the file has no name: another take that was left behind. */
  isTurn(id: Json): id is string;
  span(id: string): string;
}

/** All ids stay as they are, or, when one of them is known here, none. */
function createNames(context: ImportContext, records: Iterable<FileRecord>): Names {
  const { store } = context;
  const newId = (): string => context.newId();
  const turns = new Map<string, string>();
  const spans = new Map<string, string>();
  let original = "";
  let isKnown = false;
  for (const record of records) {
    const event = record.kind === "event" ? record.event : record.first;
    original = event.session_id ?? "";
    if (event.turn_id && !turns.has(event.turn_id)) {
      turns.set(event.turn_id, newId());
      isKnown ||= store.turn(event.turn_id) !== null;
    }
    if (event.span_id && !spans.has(event.span_id)) {
      spans.set(event.span_id, newId());
      isKnown ||= store.countLogLines(event.span_id) > 0;
    }
    isKnown ||= store.event(event.id) !== null;
  }
  isKnown ||= store.session(original) !== null;
  return {
    sessionId: isKnown ? newId() : original,
    event: (id) => (isKnown ? newId() : id),
    turn: (id) => (isKnown ? (turns.get(id) ?? id) : id),
    isTurn: (id): id is string => typeof id === "string" && turns.has(id),
    span: (id) => (isKnown ? (spans.get(id) ?? id) : id),
  };
}

/** The records with their names and numbers here. A turn that was running when it was exported is interrupted here. */
function* placed(context: ImportContext, names: Names, records: Iterable<FileRecord>): Generator<LogRecord> {
  const running = new Map<string, NarratoriaEvent>();
  let seq = 0;
  for (const record of records) {
    if (record.kind === "lines") {
      const first = { ...rename(record.first, names), seq: seq + 1 };
      seq += record.lines.length;
      yield { ...record, first: { ...first, id: `${first.span_id}:${record.number}` } };
      continue;
    }
    const event = { ...rename(record.event, names), seq: ++seq };
    if (event.event === "session:start") event.data = settle(event.data ?? {}, context);
    const turnId = event.turn_id ?? "";
    if (event.event === "turn:start" || event.event === "turn:resume") running.set(turnId, event);
    if (event.event === "turn:end" || event.event === "turn:interrupt") running.delete(turnId);
    yield recordOf(event);
  }
  for (const { ts, session_id, turn_id } of running.values()) {
    const about = { id: context.newId(), ts, session_id, turn_id, seq: ++seq, data: { turnId: turn_id ?? "" } };
    yield recordOf({ event: "turn:interrupt", component: "kernel", ...about });
  }
}

function rename(event: NarratoriaEvent, names: Names): NarratoriaEvent {
  const { turnId, parentTurnId, takes } = event.data ?? {};
  const data: JsonObject = { ...event.data };
  if (typeof turnId === "string") data["turnId"] = names.turn(turnId);
  if (typeof parentTurnId === "string") data["parentTurnId"] = names.turn(parentTurnId);
  if (Array.isArray(takes)) data["takes"] = takes.flatMap((id) => (names.isTurn(id) ? [names.turn(id)] : []));
  return {
    ...event,
    id: names.event(event.id),
    session_id: names.sessionId,
    ...(event.turn_id && { turn_id: names.turn(event.turn_id) }),
    ...(event.span_id && { span_id: names.span(event.span_id) }),
    ...(event.data && { data }),
  };
}

/** The story lies somewhere else on this machine. Not known here, it can be read but not played on. */
function settle(data: JsonObject, context: ImportContext): JsonObject {
  const story = { ...(data["story"] as JsonObject | undefined) };
  const dir = typeof story["title"] === "string" ? context.storyDir(story["title"]) : null;
  return { ...data, story: dir === null ? story : { ...story, dir } };
}

function saveSnapshots(store: Store, sessionId: string): void {
  const initial = initialStateOf(store, sessionId);
  for (const { turnId, number, status } of store.turnsOf(sessionId)) {
    if (number % TURNS_PER_SNAPSHOT !== 0 || status !== "completed") continue;
    store.saveSnapshot(turnId, stateAt(store, turnId, initial));
  }
}

/** Synchronous, because the log takes it in one transaction, in which nobody else may write. */
function* readRecords(path: string): Generator<FileRecord> {
  const file = openSync(path, "r");
  const splitter = createLineSplitter({ maxLineBytes: Number.MAX_SAFE_INTEGER });
  const buffer = Buffer.alloc(256 * 1024);
  try {
    for (let bytes = readSync(file, buffer); bytes > 0; bytes = readSync(file, buffer)) {
      for (const frame of splitter.push(buffer.subarray(0, bytes))) {
        if (frame.kind === "line") yield JSON.parse(frame.text) as FileRecord;
      }
    }
  } finally {
    closeSync(file);
  }
}

function refused(message: string): Refusal {
  return { kind: "refused", code: "bad_request", message: `${message}. Nothing was changed.` };
}
