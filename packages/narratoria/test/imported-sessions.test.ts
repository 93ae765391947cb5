/** Session files as others may have written them: what is taken in of each, under which names, and what is refused. */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { sealOf } from "../src/runtime/session-file/file-line.ts";
import type { TakenAsset } from "../src/runtime/seams/assets.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import { createScriptedHost, end, ok, streamOf, type ScriptedHost } from "./scripted-host.ts";

const HASH = createHash("sha256").update("picture").digest("hex");
const HEADER = { kind: "header", format: "narratoria-session", version: 1, sessionId: "s", title: "T", story: "S" };

let ids = 0;
function event(name: string, data: object, more: object = {}): object {
  const about = { id: `e${++ids}`, ts: 5, event: name, component: "kernel", session_id: "s" };
  return { kind: "event", event: { ...about, data, ...more } };
}

const inTurn = (turnId: string, more: object = {}): object => ({ turn_id: turnId, ...more });
const SHOWN = { version: "0", type: "asset", assetId: "a", kind: "image", mediaType: "image/png", path: "a.png" };
const KEPT = {
  toolId: "a",
  assetId: "a",
  kind: "image",
  mediaType: "image/png",
  status: "stored",
  sha256: HASH,
  bytes: 7,
};
const LINE = JSON.stringify({ version: "0", type: "log", level: "info", message: "hello" });

/** A session of two turns in which nearly everything happened; the second is left as it is said. */
function session(...last: object[]): object[] {
  const inAttempt = inTurn("t0", { span_id: "x", request_id: "p", module: "lamp" });
  return [
    event("session:start", { plan: { goal: "g", inputs: {} }, story: { dir: "/evil", title: "A story" } }),
    event("turn:start", { turnId: "t0", prompt: "", number: 0, takes: ["t0", "gone"] }, inTurn("t0")),
    event("tool:event", { toolId: "a", event: SHOWN, asset: KEPT }, { ...inAttempt, id: "picture" }),
    event("artifact:write", { uri: "asset:picture", bytes: 7 }, inAttempt),
    event("artifact:read", { uri: "asset:picture" }, { status: "ok" }),
    event("artifact:read", { uri: "https://example.org/x" }, { status: "ok" }),
    {
      kind: "lines",
      first: {
        id: "l",
        ts: 5,
        event: "tool:event",
        component: "runner",
        session_id: "s",
        ...inAttempt,
        data: { toolId: "a" },
      },
      number: 0,
      lines: [LINE, LINE],
      progress: null,
    },
    event(
      "ask:open",
      { askId: "q", turnId: "t0", toolId: null, question: "?", reason: null, answers: [] },
      inTurn("t0"),
    ),
    event("turn:tell", { turnId: "t0", text: "Once." }, inTurn("t0")),
    event("turn:end", { turnId: "t0", narrative: "", choices: [] }, inTurn("t0", { status: "completed" })),
    event("session:bookmark", { turnId: "t0", name: "here" }),
    event("turn:start", { turnId: "t1", prompt: "go", number: 1, parentTurnId: "t0", takes: ["t1"] }, inTurn("t1")),
    ...last,
    event("session:head", { turnId: "t0", reason: "undo" }),
    event("session:head", { turnId: null, reason: "undo" }),
    event("session:head", { turnId: "t1", reason: "switch" }),
  ];
}

const PICTURE = [
  { kind: "asset", sha256: HASH },
  { kind: "chunk", base64: Buffer.from("pict").toString("base64") },
  { kind: "chunk", base64: Buffer.from("ure").toString("base64") },
];
const ENDED = (): object => event("turn:end", { turnId: "t1" }, inTurn("t1", { status: "cancelled" }));

function fileOf(lines: readonly object[]): Readable {
  const packed = zstdCompressSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return Readable.from([packed, sealOf(createHash("sha256").update(packed).digest("hex"))]);
}

function open(taken: TakenAsset = { kind: "stored", sha256: HASH, bytes: 7 }): ScriptedHost & { took: string[] } {
  const took: string[] = [];
  const store = {
    take: async (source: { mediaType: string | null; open(): Promise<object> }) => {
      const opening = (await source.open()) as {
        size: number;
        bytes: AsyncIterable<Uint8Array>;
        close(): Promise<void>;
      };
      const bytes = await buffer(opening.bytes);
      expect([source.mediaType, opening.size]).toEqual([null, bytes.length]);
      await opening.close();
      took.push(bytes.toString());
      return taken;
    },
  };
  const assets = { store, file: (sha256: string) => sha256, sweep: () => {} };
  return { ...createScriptedHost({ narrate: () => end("x"), assets }), took };
}

const dataOf = (events: readonly NarratoriaEvent[], name: string): object[] =>
  events.filter((one) => one.event === name).map(({ data }) => data);

describe("[S1.4] a file is taken in", () => {
  test("under its own names where they are free, numbered from one, without where its story lay", async () => {
    const host = open();
    expect(await host.sessions.import(fileOf([HEADER, ...session(ENDED()), ...PICTURE]))).toEqual({ sessionId: "s" });
    const events = streamOf(host.store, "s");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1));
    expect(events.filter(({ id }) => id === "picture")).toHaveLength(1);
    expect(dataOf(events, "turn:start")).toMatchObject([
      { turnId: "t0", takes: ["t0"] },
      { turnId: "t1", parentTurnId: "t0" },
    ]);
    expect(dataOf(events, "session:start")).toMatchObject([{ story: { dir: "", title: "A story" } }]);
    expect(dataOf(events, "session:head")).toMatchObject([{ turnId: "t0" }, { turnId: null }, { turnId: "t1" }]);
    expect(
      events.filter(({ span_id, event: name, data }) => name === "tool:event" && span_id === "x" && "event" in data),
    ).toHaveLength(3);
    expect(host.took).toEqual(["picture"]);
  });

  test("beside itself under new names, in every place where one stands", async () => {
    const host = open();
    const lines = [HEADER, ...session(ENDED()), ...PICTURE];
    ok(await host.sessions.import(fileOf(lines)));
    const { sessionId } = ok(await host.sessions.import(fileOf(lines)));
    expect(sessionId).not.toBe("s");
    const text = JSON.stringify(streamOf(host.store, sessionId));
    for (const old of ['"t0"', '"t1"', '"x"', '"s"', "asset:picture", '"picture"', '"e1"'])
      expect(text).not.toContain(old);
    const events = streamOf(host.store, sessionId);
    const [first, second] = dataOf(events, "turn:start") as {
      turnId: string;
      parentTurnId: string | null;
      takes: string[];
    }[];
    expect(second?.parentTurnId).toBe(first?.turnId);
    expect([first?.parentTurnId, first?.takes, second?.takes]).toEqual([null, [first?.turnId], [second?.turnId]]);
    const named = [first, first, first, first, second, null, second].map((turn) => turn?.turnId ?? null);
    const pointers = ["ask:open", "turn:tell", "turn:end", "session:bookmark"].map((name) => dataOf(events, name)[0]);
    const heads = dataOf(events, "session:head") as { turnId: string | null }[];
    expect(pointers.map((data) => (data as { turnId: string }).turnId)).toEqual(named.slice(0, 4));
    expect(heads.map(({ turnId }) => turnId)).toEqual([first?.turnId, null, second?.turnId]);
    const picture = events.find(({ event: name, data }) => name === "tool:event" && "asset" in data);
    const uris = [...dataOf(events, "artifact:write"), ...dataOf(events, "artifact:read")] as { uri: string }[];
    expect(uris.map(({ uri }) => uri)).toEqual([
      `asset:${picture?.id}`,
      `asset:${picture?.id}`,
      "https://example.org/x",
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(ok(await host.sessions.logs(sessionId, picture?.span_id ?? "", { from: 0, count: 9 }))).toHaveLength(2);
  });

  test.each<[what: string, last: () => object[], status: string]>([
    ["running", () => [], "interrupted"],
    ["interrupted", () => [event("turn:interrupt", { turnId: "t1" }, inTurn("t1"))], "interrupted"],
    [
      "resumed, and running",
      () => [
        event("turn:interrupt", { turnId: "t1" }, inTurn("t1")),
        event("turn:resume", { turnId: "t1" }, inTurn("t1")),
      ],
      "interrupted",
    ],
    ["cancelled", () => [ENDED()], "cancelled"],
  ])("with its last turn %s", async (what, last, status) => {
    const host = open();
    ok(await host.sessions.import(fileOf([HEADER, ...session(...last())])));
    expect(ok(await host.sessions.view("s")).turns.at(-1)).toMatchObject({ turnId: "t1", status });
    const interrupts = streamOf(host.store, "s").filter((one) => one.event === "turn:interrupt");
    expect(interrupts).toHaveLength(what === "cancelled" ? 0 : what.startsWith("resumed") ? 2 : 1);
    expect(interrupts.at(-1)?.ts ?? 5).toBe(5);
  });

  test("without assets that no event refers to", async () => {
    const host = open();
    const unused = createHash("sha256").update("unused").digest("hex");
    const more = [
      { kind: "asset", sha256: unused },
      { kind: "chunk", base64: Buffer.from("unused").toString("base64") },
    ];
    ok(await host.sessions.import(fileOf([HEADER, ...session(), ...more, ...PICTURE])));
    expect(host.took).toEqual(["picture"]);
  });
});

describe("[S1.4] a file is refused, and nothing changes", () => {
  test("when an asset cannot be kept", async () => {
    const host = open({ kind: "refused", reason: "it is too large" });
    expect(await host.sessions.import(fileOf([HEADER, ...session(), ...PICTURE]))).toEqual({
      kind: "refused",
      code: "bad_request",
      message: "an asset in the file cannot be kept: it is too large. Nothing was changed.",
    });
    expect(await host.sessions.list()).toEqual([]);
  });

  test.each<[what: string, lines: () => object[], message: string]>([
    ["no header", () => session(), "this is no session that Narratoria exported"],
    ["another format", () => [{ ...HEADER, format: "x" }], "this is no session that Narratoria exported"],
    ["a header twice", () => [HEADER, HEADER], "the file is damaged"],
    ["nothing but a header", () => [HEADER], "the file contradicts itself: no beginning"],
    ["a chunk of nothing", () => [HEADER, ...session(), { kind: "chunk", base64: "" }], "the file is damaged"],
    ["an asset twice", () => [HEADER, ...session(), ...PICTURE, ...PICTURE], "the file holds an asset twice"],
    [
      "an asset cut short",
      () => [HEADER, ...session(), ...PICTURE.slice(0, 2)],
      "an asset in the file was changed: its hash does not fit",
    ],
    [
      "an asset in the middle that was changed",
      () => [HEADER, { kind: "asset", sha256: HASH }, ...session()],
      "an asset in the file was changed: its hash does not fit",
    ],
    ["a contradiction", () => [HEADER, ...session().slice(1)], "the file contradicts itself: no beginning"],
    ["a line of another kind", () => [HEADER, { kind: "x" }], "the file contradicts itself: a line of an unknown kind"],
  ])("when it has %s", async (_, lines, message) => {
    const host = open();
    expect(await host.sessions.import(fileOf(lines()))).toMatchObject({ message: `${message}. Nothing was changed.` });
    expect([await host.sessions.list(), host.took]).toEqual([[], []]);
  });

  test("when it is no compression inside, or its last line is not whole", async () => {
    const host = open();
    const seal = (packed: Buffer): Readable =>
      Readable.from([packed, sealOf(createHash("sha256").update(packed).digest("hex"))]);
    const broken = Buffer.concat([zstdCompressSync("x").subarray(0, 5), Buffer.from("nonsense, all of it")]);
    const whole = [HEADER, ...session()].map((line) => JSON.stringify(line)).join("\n");
    for (const file of [seal(broken), seal(zstdCompressSync(whole))])
      expect(await host.sessions.import(file)).toMatchObject({ message: "the file is damaged. Nothing was changed." });
    const cut = Readable.from([zstdCompressSync(`${whole}\n`)]);
    expect(await host.sessions.import(cut)).toMatchObject({
      message: "the file was changed or cut short: its hash does not fit. Nothing was changed.",
    });
  });
});
