/**
 * Takes a session file in: checked to its end first, then put into the log a slice at a time, so that others have their
 * turn in between; nobody sees it until it is whole, and half of it is undone. Ids that are known here already get new
 * ones, so that a session can be taken in beside itself. A file does not say what runs here: it is played with the story
 * that a person named, or can only be read.
 */
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLineSplitter } from "@narratoria/tool/ndjson";
import { stamp, type EventOf, type LineEnvelope, type NarratoriaEvent } from "../../story/event.ts";
import { shownName } from "../../story/shown-name.ts";
import type { AssetSource, AssetStore } from "../seams/assets.ts";
import { inSlices, type Sliced } from "../execution/slices.ts";
import { diskTroubleIn } from "../seams/disk-trouble.ts";
import { refused } from "../seams/refusals.ts";
import type { Refusal } from "../seams/session-service.ts";
import { recordOf, type LogRecord, type Store } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import { isWorthASnapshot, stateAfter } from "../turns/state-after.ts";
import { assetHashOf, type FileRecord } from "./file-line.ts";
import { checkSessionFile } from "./session-file-check.ts";

export interface ImportContext {
  store: Store;
  ancestry: Ancestry;
  assets: AssetStore;
  newId(): string;
  /** Erases what was taken in of a session, when the rest cannot be. */
  undo(sessionId: string): Promise<void>;
  /** One file after the other: two may hold the same ids. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** The story that a person said it is played with; null when nobody did. */
  story: { readonly dir: string; readonly title: string } | null;
}

export async function importSession(
  context: ImportContext,
  file: AsyncIterable<Uint8Array>,
): Promise<{ sessionId: string } | Refusal> {
  const folder = await mkdtemp(join(tmpdir(), "narratoria-import-"));
  try {
    const checked = await checkSessionFile(file, folder);
    if (checked.kind === "wrong") return refuse(checked.message);
    const other = findOtherStory(context.story, readRecords(checked.recordsFile));
    if (other !== null) return refuse(other);
    for (const sha256 of [...checked.assets].filter((each) => checked.assetsUsed.has(each))) {
      const taken = await context.assets.take(unpackedAsset(join(folder, sha256)));
      if (taken.kind === "refused") return refuse(`an asset in the file cannot be kept: ${taken.reason}`);
    }
    return await context.inTurn(() => takeIn(context, checked.recordsFile));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** So many records, or as many bytes of log lines, are put into the log at once. */
const RECORDS_AT_ONCE = 200;
const BYTES_AT_ONCE = 1024 * 1024;

async function takeIn(context: ImportContext, recordsFile: string): Promise<{ sessionId: string }> {
  const names = await inSlices(createNames(context, readRecords(recordsFile)));
  const { sessionId } = names;
  const { store } = context;
  try {
    const ended = await inSlices(appendAll(store, placed(context, names, readRecords(recordsFile))));
    await inSlices(saveSnapshots(context, sessionId, ended));
    store.show(sessionId);
  } catch (error) {
    // On a disk that takes nothing more not even this: then whoever starts next does it.
    if (store.session(sessionId) !== null) await context.undo(sessionId).catch(() => {});
    throw error;
  }
  return { sessionId };
}

/** Gives the turns after which the state is kept. */
function* appendAll(store: Store, records: Iterable<LogRecord>): Sliced<string[]> {
  const worthASnapshot: string[] = [];
  const numbers = new Map<string, number>();
  let some: LogRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    some.push(record);
    bytes += record.kind === "event" ? record.json.length : record.lines.reduce((sum, line) => sum + line.length, 0);
    if (record.kind === "event") note(record.event);
    if (some.length < RECORDS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    store.takeIn(some);
    some = [];
    bytes = 0;
    yield;
  }
  if (some.length > 0) store.takeIn(some);
  return worthASnapshot;

  function note(event: NarratoriaEvent): void {
    if (event.event === "turn:start") numbers.set(event.data.turnId, event.data.number ?? 0);
    if (event.event !== "turn:end") return;
    const { turnId } = event.data;
    if (isWorthASnapshot({ number: numbers.get(turnId) ?? 0, status: event.status })) worthASnapshot.push(turnId);
  }
}

/** What is wrong with the story that it is to be played with. What the file says of its own is no more than a hint. */
function findOtherStory(story: ImportContext["story"], records: Iterable<FileRecord>): string | null {
  if (story === null) return null;
  for (const record of records) {
    if (record.kind !== "event" || record.event.event !== "session:start") continue;
    const said = record.event.data.story?.title ?? "";
    return said === story.title
      ? null
      : `the file is of ${shownName(said)}, and the story there is ${shownName(story.title)}`;
  }
  return null;
}

/** A file that the check has written itself. */
function unpackedAsset(file: string): AssetSource {
  return {
    mediaType: null,
    open: async () => {
      const bytes = createReadStream(file);
      return { kind: "open", size: (await stat(file)).size, bytes, close: async () => void bytes.destroy() };
    },
  };
}

interface Names {
  sessionId: string;
  event(id: string): string;
  /** The id that an event with an asset was given: others point to it. */
  asset(id: string): string;
  turn(id: string): string;
  /** A turn that is not in the file has no name: another take that was left behind. */
  isTurn(id: string): boolean;
  span(id: string): string;
}

/** All ids stay as they are, or, when one of them is known here, none. */
function* createNames(context: ImportContext, records: Iterable<FileRecord>): Sliced<Names> {
  const { store } = context;
  const newId = (): string => context.newId();
  const turns = new Map<string, string>();
  const spans = new Map<string, string>();
  const assets = new Map<string, string>();
  let original = "";
  let isKnown = false;
  for (const record of records) {
    yield;
    const event = record.kind === "event" ? record.event : record.first;
    original = event.session_id ?? "";
    if (record.kind === "event" && assetHashOf(record.event) !== null) assets.set(event.id, newId());
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
    event: (id) => (isKnown ? (assets.get(id) ?? newId()) : id),
    asset: (id) => (isKnown ? (assets.get(id) ?? id) : id),
    turn: (id) => (isKnown ? (turns.get(id) ?? id) : id),
    isTurn: (id) => turns.has(id),
    span: (id) => (isKnown ? (spans.get(id) ?? id) : id),
  };
}

/** The records with their names and numbers here. A turn that was running when it was exported is interrupted here. */
function* placed(context: ImportContext, names: Names, records: Iterable<FileRecord>): Generator<LogRecord> {
  const running = new Map<string, NarratoriaEvent>();
  let seq = 0;
  for (const record of records) {
    if (record.kind === "lines") {
      const first = renamed(record.first, names);
      yield { ...record, first: { ...first, id: `${first.span_id}:${record.number}`, seq: seq + 1 } };
      seq += record.lines.length;
      continue;
    }
    const event = { ...settled(renameData(renamed(record.event, names), names), context), seq: ++seq };
    const turnId = event.turn_id ?? "";
    if (event.event === "turn:start" || event.event === "turn:resume") running.set(turnId, event);
    if (event.event === "turn:end" || event.event === "turn:interrupt") running.delete(turnId);
    yield recordOf(event);
  }
  for (const [turnId, { ts, session_id }] of running) {
    const about = { component: "kernel", session_id, turn_id: turnId } as const;
    const mark = { id: context.newId(), ts, seq: ++seq };
    yield recordOf(stamp({ event: "turn:interrupt", data: { turnId }, ...about }, mark));
  }
}

function renamed<Event extends NarratoriaEvent | LineEnvelope>(event: Event, names: Names): Event {
  return {
    ...event,
    id: names.event(event.id),
    session_id: names.sessionId,
    ...(event.turn_id && { turn_id: names.turn(event.turn_id) }),
    ...(event.span_id && { span_id: names.span(event.span_id) }),
  };
}

/** Turns are named inside of events too. */
function renameData(event: NarratoriaEvent, names: Names): NarratoriaEvent {
  const turnOrNot = (id: string | null | undefined): string | null => (id ? names.turn(id) : null);
  switch (event.event) {
    case "artifact:write":
      return { ...event, data: { ...event.data, uri: renameUri(event.data.uri, names) } };
    case "artifact:read":
      return { ...event, data: { uri: renameUri(event.data.uri, names) } };
    case "turn:start":
      return { ...event, data: renameStart(event.data, names) };
    case "turn:end":
      return { ...event, data: { ...event.data, turnId: names.turn(event.data.turnId) } };
    case "turn:tell":
      return { ...event, data: { ...event.data, turnId: names.turn(event.data.turnId) } };
    case "turn:interrupt":
    case "turn:resume":
      return { ...event, data: { ...event.data, turnId: names.turn(event.data.turnId) } };
    case "session:bookmark":
      return { ...event, data: { ...event.data, turnId: names.turn(event.data.turnId) } };
    case "session:head":
      return { ...event, data: { ...event.data, turnId: turnOrNot(event.data.turnId) } };
    case "ask:open":
      return { ...event, data: { ...event.data, turnId: turnOrNot(event.data.turnId) } };
    default:
      return event;
  }
}

function renameUri(uri: string, names: Names): string {
  const [scheme, id = ""] = uri.split(":", 2);
  return scheme === "asset" ? `asset:${names.asset(id)}` : uri;
}

function renameStart(data: EventOf<"turn:start">["data"], names: Names): EventOf<"turn:start">["data"] {
  const { turnId, parentTurnId, takes } = data;
  return {
    ...data,
    turnId: names.turn(turnId),
    parentTurnId: parentTurnId ? names.turn(parentTurnId) : null,
    takes: (takes ?? []).filter((id) => names.isTurn(id)).map((id) => names.turn(id)),
  };
}

function settled(event: NarratoriaEvent, context: ImportContext): NarratoriaEvent {
  if (event.event !== "session:start" || !event.data.story) return event;
  const { story } = event.data;
  return { ...event, data: { ...event.data, story: { ...story, dir: context.story?.dir ?? "" } } };
}

function* saveSnapshots(
  { store, ancestry }: ImportContext,
  sessionId: string,
  turnIds: readonly string[],
): Sliced<void> {
  const initial = ancestry.initialState(sessionId);
  try {
    for (const turnId of turnIds) store.saveSnapshot(turnId, yield* stateAfter(store, turnId, () => initial));
  } catch (error) {
    // The session is kept; only the way to its states is longer without them.
    if (diskTroubleIn(error) === null) throw error;
  }
}

/** A file that the check has written itself, a line at a time. */
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

function refuse(message: string): Refusal {
  return refused("bad_request", `${message}. Nothing was changed.`);
}
