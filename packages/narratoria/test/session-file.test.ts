/** A session as one file: another data folder opens it to the same story; a file that was touched changes nothing. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openSessions } from "../src/create-narratoria.ts";
import { sealOf } from "../src/runtime/session-file/file-line.ts";
import { isRefusal, type Refusal, type SessionService } from "../src/runtime/seams/session-service.ts";
import { eventSchema, type NarratoriaEvent } from "../src/story/event.ts";
import type { SessionView } from "../src/story/session-view.ts";
import { createPlayground, type Playground } from "./playground.ts";

describe("export and import", () => {
  test("another machine opens it to the same view, with takes, bookmarks, assets and logs", async () => {
    using playground = createPlayground();
    await using here = await open(playground, "here");
    const sessionId = await begin(here);
    await say(here, sessionId, "Light the lamp", "Listen");
    await here.undo(sessionId);
    await here.bookmark(sessionId, (await viewOf(here, sessionId)).headTurnId ?? "", "lit");
    await say(here, sessionId, "Read the sign");
    await here.rename(sessionId, "An evening");
    const file = await exported(here, sessionId);

    await using there = await open(playground, "there");
    expect(await there.import(parts(file), playground.story)).toEqual({ sessionId });
    expect(without(await viewOf(there, sessionId))).toEqual(without(await viewOf(here, sessionId)));
    expect(await there.tree(sessionId)).toEqual(await here.tree(sessionId));
    expect(await there.why(sessionId, "/lamp/lit")).toEqual(await here.why(sessionId, "/lamp/lit"));
    for (const { attempts } of (await viewOf(here, sessionId)).turns.flatMap(({ tools }) => tools)) {
      const spanId = attempts[0]?.spanId ?? "";
      expect(await messages(there, sessionId, spanId)).toEqual(await messages(here, sessionId, spanId));
    }
    const picture = assetsOf(await viewOf(there, sessionId))[0];
    expect(existsSync(((await there.asset(picture ?? "")) as { file: string }).file)).toBe(true);
    // And it can be played on.
    await say(there, sessionId, "Leave");
    expect((await viewOf(there, sessionId)).turns.at(-1)?.ending).toBe("Gone");
  });

  test("beside itself it gets ids of its own, and the first one stays as it was", async () => {
    using playground = createPlayground();
    await using here = await open(playground, "here");
    const sessionId = await begin(here);
    await say(here, sessionId, "Light the lamp");
    const before = await viewOf(here, sessionId);
    const imported = await here.import(parts(await exported(here, sessionId)), playground.story);
    if (isRefusal(imported)) throw new Error(imported.message);
    expect(imported.sessionId).not.toBe(sessionId);
    expect(await viewOf(here, sessionId)).toEqual(before);
    expect(withoutIds(await viewOf(here, imported.sessionId))).toBe(withoutIds(before));
    expect(idsIn(await viewOf(here, imported.sessionId)).intersects(idsIn(before))).toEqual([]);
    const events = await allEvents(here, imported.sessionId);
    for (const event of events) expect(eventSchema.safeParse(event).error).toBeUndefined();
    const numbers = events.map(({ seq }) => seq ?? 0);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  test("it may arrive in pieces of any size", { timeout: 30_000 }, async () => {
    using playground = createPlayground();
    await using here = await open(playground, "here");
    const file = await exported(here, await begin(here));
    for (const size of [1, 2, 3, 7, 100, 101, file.length - 1, file.length - 98, file.length - 99, file.length]) {
      expect(isRefusal(await here.import(parts(file, size)))).toBe(false);
    }
  });

  test("a fork's file holds the way that led to it, as one session's", async () => {
    using playground = createPlayground();
    await using here = await open(playground, "here");
    const sessionId = await begin(here);
    await say(here, sessionId, "Light the lamp", "Listen");
    const fork = await here.fork(sessionId, (await viewOf(here, sessionId)).turns[1]?.turnId ?? "", "The other way");
    if (isRefusal(fork)) throw new Error(fork.message);
    await say(here, sessionId, "Listen");
    await say(here, fork.sessionId, "Read the sign");
    const second = await here.fork(fork.sessionId, (await viewOf(here, fork.sessionId)).headTurnId ?? "", "And on");
    if (isRefusal(second)) throw new Error(second.message);
    await say(here, second.sessionId, "Listen");

    await using there = await open(playground, "there");
    for (const id of [fork.sessionId, second.sessionId]) {
      const imported = await there.import(parts(await exported(here, id)), playground.story);
      if (isRefusal(imported)) throw new Error(imported.message);
      expect(withoutIds(await viewOf(there, imported.sessionId))).toBe(withoutIds(await viewOf(here, id)));
      expect(
        (await there.list()).find((session) => session.sessionId === imported.sessionId)?.parentSessionId,
      ).toBeNull();
      const names = (await allEvents(there, imported.sessionId)).map(({ event }) => event);
      expect(names.filter((name) => name === "session:start" || name === "session:fork")).toEqual(["session:start"]);
    }
  });

  test("[S1.4] whatever was played, the file tells the same", { timeout: 120_000 }, async () => {
    using playground = createPlayground();
    await using here = await open(playground, "here");
    const step = fc.constantFrom("Listen", "Listen", "Light the lamp", "/undo", "/retry", "/fork", "/bookmark");
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        let sessionId = await begin(here);
        for (const next of steps) sessionId = await take(here, sessionId, next);
        await using there = await open(playground, `there-${runs++}`);
        const imported = await there.import(parts(await exported(here, sessionId)), playground.story);
        expect(isRefusal(imported)).toBe(false);
        expect(without(await viewOf(there, sessionId))).toEqual(without(await viewOf(here, sessionId)));
      }),
      { numRuns: 12 },
    );
  });
});

describe("a file that is not as it was written is refused, and nothing changes", () => {
  test("a changed byte anywhere, a cut anywhere, something added", { timeout: 60_000 }, async () => {
    using playground = createPlayground();
    await using here = await open(playground, "here");
    const sessionId = await begin(here);
    await say(here, sessionId, "Light the lamp");
    const file = await exported(here, sessionId);
    await using there = await open(playground, "there");
    const spread = Array.from({ length: 40 }, (_, index) => Math.floor((index * file.length) / 40));
    const places = [...spread, 4, 5, ...Array.from({ length: 20 }, (_, index) => file.length - 1 - index * 7)];
    for (const place of places) {
      const changed = Buffer.from(file);
      changed[place] = (changed[place] ?? 0) ^ 0x10;
      await expectRefused(there, changed);
      await expectRefused(there, file.subarray(0, place));
    }
    await expectRefused(there, file.subarray(0, -1));
    await expectRefused(there, Buffer.concat([file, zstdCompressSync('{"kind":"event"}\n')]));
    expect(readdirSync(`${playground.root}/there`)).not.toContain("assets");
    expect(await there.import(parts(file))).toEqual({ sessionId });
  });

  test.each([
    ["nothing", Buffer.alloc(0), "no session that Narratoria exported"],
    ["prose", Buffer.from("Dear Sir or Madam"), "no session that Narratoria exported"],
    ["other JSON", zstdCompressSync('{"format":"other"}\n'), "no session that Narratoria exported"],
    ["a newer format", sealed([{ kind: "header", format: "narratoria-session", version: 2 }]), "newer Narratoria"],
  ])("%s", async (_, file, message) => {
    using playground = createPlayground();
    await using there = await open(playground, "there");
    expect((await expectRefused(there, file)).message).toContain(message);
  });

  test.each<[string, (lines: JsonLine[]) => JsonLine[]]>([
    ["no beginning", (lines) => lines.filter(({ event }) => event?.event !== "session:start")],
    ["two beginnings", ([header, start, ...rest]) => [header, start, start, ...rest] as JsonLine[]],
    [
      "a turn twice",
      (lines) => [...lines, ...lines.filter(({ event }) => event?.event === "turn:start").map(withNewId)],
    ],
    [
      "a turn without its parent",
      (lines) => lines.filter(({ event }) => event?.event !== "turn:start" || event.data.number !== 0),
    ],
    ["the same event twice", (lines) => [...lines, lines.at(-3) as JsonLine]],
    ["an event of another session", (lines) => [...lines, changed(lines, 4, { session_id: "another", id: "x" })]],
    ["an event with an unknown name", (lines) => [...lines, changed(lines, 4, { event: "turn:vanish", id: "x" })]],
    [
      "a plan that is none",
      (lines) => [...lines, changed(lines, 4, { event: "plan:create", data: { plan: 1 }, id: "x" })],
    ],
    [
      "an asset named like a path",
      (lines) => lines.map((line) => (line.sha256 ? { ...line, sha256: "../../escape" } : line)),
    ],
    [
      "an asset with other bytes",
      (lines) => lines.map((line) => (line["base64"] ? { ...line, base64: "AAAA" } : line)),
    ],
    ["a line of no kind", (lines) => [...lines, { kind: "surprise" }]],
    ["log lines that are none", (lines) => lines.map((line) => (line["lines"] ? { ...line, lines: ["{}"] } : line))],
  ])("%s, hash and all", async (_, change) => {
    using playground = createPlayground();
    await using here = await open(playground, "here");
    const sessionId = await begin(here);
    await say(here, sessionId, "Light the lamp");
    const text = zstdDecompressSync(await exported(here, sessionId)).toString();
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as JsonLine);
    await using there = await open(playground, "there");
    await expectRefused(there, sealed(change(lines)));
    expect(await there.import(parts(sealed(lines)))).toEqual({ sessionId });
  });
});

describe("[T4.3] assets go with the last session that refers to them", () => {
  test("shared by two sessions and a fork", async () => {
    using playground = createPlayground();
    await using here = await open(playground, "here");
    const [one, two] = [await begin(here), await begin(here)];
    for (const id of [one, two]) await say(here, id, "Light the lamp");
    const { file } = (await here.asset(assetsOf(await viewOf(here, one))[0] ?? "")) as { file: string };
    const fork = (await here.fork(two, (await viewOf(here, two)).headTurnId ?? "")) as { sessionId: string };
    for (const id of [one, two]) {
      await here.remove(id);
      expect(existsSync(file)).toBe(true);
    }
    await here.remove(fork.sessionId);
    expect(existsSync(file)).toBe(false);
    expect(await here.list()).toEqual([]);
  });
});

interface JsonLine {
  kind: string;
  event?: NarratoriaEvent;
  sha256?: string;
  [field: string]: unknown;
}

function changed(lines: readonly JsonLine[], at: number, event: object): JsonLine {
  return { kind: "event", event: { ...lines[at]?.event, ...event } as NarratoriaEvent };
}

function withNewId(line: JsonLine): JsonLine {
  return changed([line], 0, { id: `${line.event?.id} again` });
}

/** A file as it would be written, whatever it says. */
function sealed(lines: readonly object[]): Buffer {
  const compressed = zstdCompressSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return Buffer.concat([compressed, sealOf(createHash("sha256").update(compressed).digest("hex"))]);
}

async function expectRefused(sessions: SessionService, file: Uint8Array): Promise<Refusal> {
  const imported = await sessions.import(parts(file));
  if (!isRefusal(imported)) throw new Error("it was taken in");
  expect(imported.code).toBe("bad_request");
  expect(await sessions.list()).toEqual([]);
  return imported;
}

async function open(playground: Playground, name: string): Promise<SessionService & AsyncDisposable> {
  const sessions = await openSessions({
    dataDir: `${playground.root}/${name}`,
    storyDir: playground.story,
    sandbox: "none",
    allowUnconfined: true,
  });
  return { ...sessions, [Symbol.asyncDispose]: () => sessions.close() };
}

async function begin(sessions: SessionService): Promise<string> {
  const created = await sessions.create({});
  if (isRefusal(created)) throw new Error(JSON.stringify(created));
  await sessions.idle(created.sessionId);
  return created.sessionId;
}

async function say(sessions: SessionService, sessionId: string, ...prompts: string[]): Promise<void> {
  for (const prompt of prompts) {
    expect(isRefusal(await sessions.prompt(sessionId, prompt))).toBe(false);
    await sessions.idle(sessionId);
  }
}

/** One step of a random play; what cannot be done there is refused, and that is fine. */
async function take(sessions: SessionService, sessionId: string, step: string): Promise<string> {
  const { headTurnId } = await viewOf(sessions, sessionId);
  if (step === "/undo") await sessions.undo(sessionId);
  else if (step === "/bookmark") await sessions.bookmark(sessionId, headTurnId ?? "", "here");
  else if (step === "/retry") await sessions.retry(sessionId);
  else if (step === "/fork")
    return ((await sessions.fork(sessionId, headTurnId ?? "")) as { sessionId: string }).sessionId;
  else await sessions.prompt(sessionId, step);
  await sessions.idle(sessionId);
  return sessionId;
}

async function viewOf(sessions: SessionService, sessionId: string): Promise<SessionView> {
  const view = await sessions.view(sessionId);
  if (isRefusal(view)) throw new Error(view.message);
  return view;
}

function without(view: SessionView): object {
  return { ...view, seq: 0 };
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Ids by the order in which they come. */
function withoutIds(view: SessionView): string {
  const names = new Map<string, string>();
  return JSON.stringify(without(view), null, 1).replaceAll(UUID, (id) => {
    names.set(id, names.get(id) ?? `id-${names.size}`);
    return names.get(id) ?? "";
  });
}

/** Of turns and attempts; plans keep theirs. */
function idsIn(view: SessionView): { ids: string[]; intersects(other: { ids: string[] }): string[] } {
  const ids = view.turns.flatMap(({ turnId, tools }) => [
    turnId,
    ...tools.flatMap(({ attempts }) => attempts.map(({ spanId }) => spanId)),
  ]);
  return { ids, intersects: (other) => ids.filter((id) => other.ids.includes(id)) };
}

function assetsOf(view: SessionView): string[] {
  const passages = view.turns.flatMap((turn) => turn.passages);
  return passages.flatMap((passage) =>
    passage.kind === "asset" && passage.asset.id !== null ? [passage.asset.id] : [],
  );
}

async function messages(sessions: SessionService, sessionId: string, spanId: string): Promise<string[]> {
  const lines = await sessions.logs(sessionId, spanId, { from: 0, count: 1000 });
  return isRefusal(lines) ? [] : lines.map(({ message }) => message);
}

async function exported(sessions: SessionService, sessionId: string): Promise<Buffer> {
  const file = await sessions.export(sessionId);
  if (isRefusal(file)) throw new Error(file.message);
  return buffer(file);
}

/** In small pieces, as a network brings it. */
async function* parts(file: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
}

async function allEvents(sessions: SessionService, sessionId: string): Promise<NarratoriaEvent[]> {
  const { seq } = await viewOf(sessions, sessionId);
  const events: NarratoriaEvent[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const following = await sessions.follow(sessionId, 0, {
    take: (streamed) => {
      events.push(streamed.event());
      if (streamed.seq === seq) resolve();
      return true;
    },
    closed: () => {},
  });
  if (isRefusal(following)) throw new Error(following.message);
  await promise;
  following.close();
  return events;
}
