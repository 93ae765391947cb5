/** What a session service refuses, in which words, and that nothing was written then; and what each call does write. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NarratorAnswer } from "../src/runtime/seams/narrator.ts";
import type { SessionService } from "../src/runtime/seams/session-service.ts";
import { createScriptedHost, end, failure, ok, planOf, streamOf, type ScriptedHost } from "./scripted-host.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-refusals-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Told at once; the prompt "wait" is told when the test says so, and "break" lets a tool fail. */
function open(file = ":memory:"): ScriptedHost & { go(): void } {
  const waiting = Promise.withResolvers<NarratorAnswer>();
  const host = createScriptedHost({
    file,
    narrate: ({ prompt, plans }) => {
      if (prompt === "wait") return waiting.promise;
      return prompt === "break" && plans.length === 0
        ? planOf({ skill: "lamp", required: false })
        : end(`told ${prompt}`);
    },
    tools: { lamp: () => ({ error: failure("tool_failure", "bad_request") }) },
  });
  return { ...host, go: () => waiting.resolve(end("told at last")) };
}

/** A host whose session was interrupted in its second turn, or, without a prompt, in its opening scene. */
async function openInterrupted(prompt = "wait"): Promise<{ host: ScriptedHost; session: string; turns: string[] }> {
  const file = join(mkdtempSync(join(folder, "library-")), "narratoria.db");
  const before = createScriptedHost({
    file,
    narrate: (question) => (question.prompt === null && prompt !== "" ? end("told") : new Promise(() => {})),
  });
  const { sessionId: session } = ok(await before.sessions.create({}));
  if (prompt !== "") {
    await before.sessions.idle(session);
    ok(await before.sessions.prompt(session, prompt));
  }
  await before.sessions.close();
  const host = open(file);
  const turns = ok(await host.sessions.tree(session)).map(({ turnId }) => turnId);
  return { host, session, turns };
}

type Call = (sessions: SessionService, session: string, turnId: string) => Promise<unknown>;
const ON_TURNS: Record<string, Call> = {
  prompt: (sessions, session, parentTurnId) => sessions.prompt(session, "go", { parentTurnId }),
  retry: (sessions, session, turnId) => sessions.retry(session, turnId),
  resume: (sessions, session, turnId) => sessions.resume(session, turnId),
  discard: (sessions, session, turnId) => sessions.discard(session, turnId),
  moveHead: (sessions, session, turnId) => sessions.moveHead(session, turnId),
  fork: (sessions, session, turnId) => sessions.fork(session, turnId),
  bookmark: (sessions, session, turnId) => sessions.bookmark(session, turnId, "x"),
  turn: (sessions, session, turnId) => sessions.turn(session, turnId),
  stateAt: (sessions, session, turnId) => sessions.stateAt(session, turnId),
  turnEnded: (sessions, session, turnId) => sessions.turnEnded(session, turnId),
};
const THAT_BEGIN: Record<string, Call> = {
  prompt: (sessions, session) => sessions.prompt(session, "go"),
  "retry of the head": (sessions, session) => sessions.retry(session),
  retry: ON_TURNS["retry"] as Call,
  resume: ON_TURNS["resume"] as Call,
  discard: ON_TURNS["discard"] as Call,
  undo: (sessions, session) => sessions.undo(session),
  moveHead: ON_TURNS["moveHead"] as Call,
  enableSkill: (sessions, session) => sessions.enableSkill(session, "lamp"),
};

async function refusalOf(host: ScriptedHost, call: () => Promise<unknown>, session: string): Promise<unknown> {
  const before = host.store.lastSeq(session);
  const answer = await call();
  expect(host.store.lastSeq(session)).toBe(before);
  return answer;
}

function conflict(message: string): object {
  return { kind: "refused", code: "conflict", message };
}

describe("[K1.3] refused, and nothing is written", () => {
  test.each(Object.entries(ON_TURNS))("%s of a turn that is not there, or is another session's", async (_, call) => {
    const host = open();
    const session = await host.begin();
    const strange = ok(await host.sessions.view(await host.begin())).headTurnId ?? "";
    for (const turnId of ["none", strange]) {
      const message = `there is no turn ${JSON.stringify(turnId)}`;
      expect(await refusalOf(host, () => call(host.sessions, session, turnId), session)).toEqual({
        kind: "refused",
        code: "not_found",
        message,
      });
    }
  });

  test.each(Object.entries(THAT_BEGIN))("%s in a session that has ended", async (_, call) => {
    const { host, session, turns } = await openInterrupted();
    ok(await host.sessions.end(session, "over"));
    const answer = await refusalOf(host, () => call(host.sessions, session, turns[1] ?? ""), session);
    expect(answer).toEqual(conflict("this session has ended"));
    await host.sessions.close();
  });

  test.each([
    ...Object.entries(THAT_BEGIN),
    ["end", (sessions: SessionService, session: string) => sessions.end(session, "over")] as const,
    ["remove", (sessions: SessionService, session: string) => sessions.remove(session)] as const,
  ])("%s while a turn is running", async (_, call) => {
    const host = open();
    const session = await host.begin();
    const turnId = ok(await host.sessions.view(session)).headTurnId ?? "";
    const running = ok(await host.sessions.prompt(session, "wait")).turnId;
    await new Promise((next) => setImmediate(next));
    const answer = await refusalOf(host, () => call(host.sessions, session, turnId), session);
    expect(answer).toEqual(conflict("a turn is running; wait for it or stop it first"));
    expect(await host.sessions.fork(session, running)).toEqual(
      conflict("this turn is still running; fork when it has ended"),
    );
    host.go();
    expect(await host.sessions.turnEnded(session, running)).toBe("completed");
  });

  test.each(["resume", "discard"])("%s of a turn that was not interrupted", async (name) => {
    const host = open();
    const session = await host.begin();
    const turnId = await host.play(session, "go");
    const answer = await refusalOf(host, () => (ON_TURNS[name] as Call)(host.sessions, session, turnId), session);
    expect(answer).toEqual(conflict("this turn was not interrupted"));
  });

  test("resuming what the story went on from, in the session or in a fork", async () => {
    const { host, session, turns } = await openInterrupted();
    const [, turnId = ""] = turns;
    const { sessionId: fork } = ok(await host.sessions.fork(session, turnId));
    const built = conflict("the story went on from this turn, so it cannot change any more; take it again instead");
    expect(await refusalOf(host, () => host.sessions.resume(fork, turnId), fork)).toEqual(built);
    expect(await refusalOf(host, () => host.sessions.resume(session, turnId), session)).toEqual(built);
    await host.sessions.close();
  });

  test("undoing the beginning", async () => {
    const host = open();
    const session = await host.begin();
    expect(await refusalOf(host, () => host.sessions.undo(session), session)).toEqual(
      conflict("this is the beginning: there is nothing to undo"),
    );
  });

  test("a prompt of nothing, or of too much", async () => {
    const host = open();
    const session = await host.begin();
    const say = (text: string): Promise<unknown> => host.sessions.prompt(session, text);
    const bad = (message: string): object => ({ kind: "refused", code: "bad_request", message });
    expect(await refusalOf(host, () => say(" \n"), session)).toEqual(bad("say something first"));
    const most = "ä".repeat(32 * 1024);
    expect(await refusalOf(host, () => say(`${most}!`), session)).toEqual(bad("a prompt may have 64 KiB at most"));
    await host.play(session, most);
  });

  test("a name of nothing, a key of ours, a skill that does not fail, a question nobody asked", async () => {
    const host = open();
    const session = await host.begin();
    const { sessions } = host;
    const bad = (message: string): object => ({ kind: "refused", code: "bad_request", message });
    expect(await refusalOf(host, () => sessions.rename(session, " "), session)).toEqual(
      bad("a title needs at least one letter"),
    );
    for (const key of ["narrator", "enabled_skill"])
      expect(await refusalOf(host, () => sessions.setContext(session, key, 1), session)).toEqual(
        bad(`the key ${key} is Narratoria's own`),
      );
    const missing = (what: string): object => ({ kind: "refused", code: "not_found", message: `there is no ${what}` });
    expect(await refusalOf(host, () => sessions.enableSkill(session, "toString"), session)).toEqual(
      missing('failing skill "toString"'),
    );
    expect(await refusalOf(host, () => sessions.answer(session, "q", "yes"), session)).toEqual(missing('question "q"'));
    expect(await refusalOf(host, () => sessions.why(session, "lamp"), session)).toEqual(
      bad("lamp is no JSON pointer; try /inventory/torch/lit"),
    );
  });

  test("purging a session while a turn runs in its fork", async () => {
    const host = open();
    const session = await host.begin();
    const turnId = ok(await host.sessions.view(session)).headTurnId ?? "";
    const { sessionId: fork } = ok(await host.sessions.fork(session, turnId, "The other way"));
    expect(await host.sessions.forksOf(session)).toEqual([{ sessionId: fork, title: "The other way" }]);
    ok(await host.sessions.prompt(fork, "wait"));
    expect(await host.sessions.remove(session, true)).toEqual(
      conflict('a turn is running in "The other way", which was forked from it'),
    );
    host.go();
    await host.sessions.idle(fork);
    const shortened = [{ sessionId: fork, title: "The other way" }];
    expect(await host.sessions.remove(session, true)).toEqual({ removed: true, kept: null, shortened });
    expect(await host.sessions.list()).toMatchObject([{ sessionId: fork }]);
  });

  test("a session or a file with a story that has errors: they are told", async () => {
    const problems = [{ file: "story.ink", line: 3, message: "what is this" }];
    const shelf = {
      defaultDir: "/story",
      list: () => [],
      open: () => Promise.resolve({ kind: "invalid", problems } as const),
      openForTurn: () => Promise.resolve({ kind: "invalid", problems } as const),
      close: () => Promise.resolve(),
    };
    const { sessions } = createScriptedHost({ narrate: () => end("x"), shelf });
    const refusal = {
      kind: "refused",
      code: "bad_request",
      message: "this story has errors",
      details: { problems: [{ file: "story.ink", line: 3, pointer: null, message: "what is this" }] },
    };
    expect(await sessions.create({})).toEqual(refusal);
    expect(await sessions.import(Readable.from([]), "/story")).toEqual(refusal);
    expect(await sessions.list()).toEqual([]);
  });
});

/** What was written since, without what every event has. */
function writtenSince(host: ScriptedHost, session: string, seq: number): object[] {
  const told = streamOf(host.store, session).filter((event) => (event.seq ?? 0) > seq);
  return told.map((all) => {
    const { id: _, ts: __, seq: ___, session_id, ...event } = all;
    expect(session_id).toBe(session);
    return event;
  });
}

describe("[K1.2] what a call writes", () => {
  test.each<[name: string, call: Call, written: (turns: string[]) => object[]]>([
    [
      "rename",
      (sessions, session) => sessions.rename(session, " A walk "),
      () => [{ event: "session:title", component: "kernel", data: { title: "A walk" } }],
    ],
    [
      "end",
      (sessions, session) => sessions.end(session, "over"),
      () => [{ event: "session:end", component: "kernel", data: { reason: "over" } }],
    ],
    [
      "ending twice",
      async (sessions, session) => [await sessions.end(session, "over"), await sessions.end(session, "again")],
      () => [{ event: "session:end", component: "kernel", data: { reason: "over" } }],
    ],
    [
      "undo",
      (sessions, session) => sessions.undo(session),
      ([first]) => [{ event: "session:head", component: "kernel", data: { turnId: first, reason: "undo" } }],
    ],
    [
      "moveHead",
      ON_TURNS["moveHead"] as Call,
      ([first]) => [{ event: "session:head", component: "kernel", data: { turnId: first, reason: "switch" } }],
    ],
    [
      "bookmark",
      ON_TURNS["bookmark"] as Call,
      ([first]) => [{ event: "session:bookmark", component: "kernel", data: { turnId: first, name: "x" } }],
    ],
    [
      "setContext",
      (sessions, session) => sessions.setContext(session, "mood", ["calm"]),
      () => [{ event: "context:set", component: "kernel", data: { key: "mood", value: ["calm"] } }],
    ],
    [
      "getContext",
      (sessions, session) => sessions.getContext(session, "mood"),
      () => [{ event: "context:get", component: "kernel", data: { key: "mood" } }],
    ],
    [
      "enableSkill",
      (sessions, session) => sessions.enableSkill(session, "lamp"),
      () => [{ event: "context:set", component: "kernel", data: { key: "enabled_skill", skill: "lamp", value: 1 } }],
    ],
    ["cancelling nothing", (sessions, session) => sessions.cancel(session), () => []],
    ["looking", (sessions, session) => sessions.view(session), () => []],
  ])("%s", async (_, call, written) => {
    const host = open();
    const session = await host.begin();
    await host.play(session, "break");
    const turns = ok(await host.sessions.tree(session)).map(({ turnId }) => turnId);
    const before = host.store.lastSeq(session);
    ok((await call(host.sessions, session, turns[0] ?? "")) as object);
    expect(writtenSince(host, session, before)).toEqual(written(turns));
  });

  test("a fork: where it comes from, and a title of its own", async () => {
    const host = open();
    const session = await host.begin();
    const turnId = await host.play(session, "go");
    const { sessionId } = ok(await host.sessions.fork(session, turnId));
    const [written] = writtenSince(host, sessionId, host.store.lastSeq(session));
    const data = { parent: session, turnId, title: "A story (fork)" };
    expect(written).toEqual({ event: "session:fork", component: "kernel", data });
  });

  test("a prompt elsewhere moves the head there first, in one commit", async () => {
    const host = open();
    const session = await host.begin();
    const first = await host.play(session, "one");
    await host.play(session, "two");
    const before = host.store.lastSeq(session);
    const { turnId } = ok(await host.sessions.prompt(session, "three", { parentTurnId: first }));
    await host.sessions.turnEnded(session, turnId);
    const takes = ok(await host.sessions.view(session)).turns.at(-1)?.takes;
    expect(writtenSince(host, session, before).slice(0, 2)).toEqual([
      { event: "session:head", component: "kernel", data: { turnId: first, reason: "branch" } },
      {
        event: "turn:start",
        component: "runtime",
        turn_id: turnId,
        data: { turnId, parentTurnId: first, prompt: "three", seed: 7, number: 2, takes },
      },
    ]);
    expect(takes).toHaveLength(2);
  });

  test("resuming the head, and resuming from elsewhere", async () => {
    for (const isElsewhere of [false, true]) {
      const { host, session, turns } = await openInterrupted("go");
      const [first = "", turnId = ""] = turns;
      if (isElsewhere) ok(await host.sessions.moveHead(session, first));
      const before = host.store.lastSeq(session);
      ok(await host.sessions.resume(session, turnId));
      await host.sessions.idle(session);
      const moved = { event: "session:head", component: "kernel", data: { turnId, reason: "switch" } };
      const resumed = { event: "turn:resume", component: "kernel", turn_id: turnId, data: { turnId } };
      const expected = isElsewhere ? [moved, resumed] : [resumed];
      expect(writtenSince(host, session, before).slice(0, expected.length)).toEqual(expected);
      expect(ok(await host.sessions.view(session)).turns.at(-1)).toMatchObject({
        turnId,
        status: "completed",
        prompt: "go",
        passages: [{ kind: "text", text: "told go" }],
      });
      expect(host.questions.at(-1)?.context.seed).toBe(7);
      await host.sessions.close();
    }
  });

  test("discarding goes back to the turn before; the opening scene is told again", async () => {
    const { host, session, turns } = await openInterrupted();
    const before = host.store.lastSeq(session);
    const view = ok(await host.sessions.discard(session, turns[1] ?? ""));
    expect(view.headTurnId).toBe(turns[0]);
    const data = { turnId: turns[0], reason: "discard" };
    expect(writtenSince(host, session, before)).toEqual([{ event: "session:head", component: "kernel", data }]);
    await host.sessions.close();

    const opening = await openInterrupted("");
    const [interrupted = ""] = opening.turns;
    ok(await opening.host.sessions.discard(opening.session, interrupted));
    await opening.host.sessions.idle(opening.session);
    const again = ok(await opening.host.sessions.view(opening.session));
    expect(again.turns).toMatchObject([{ status: "completed", prompt: null, number: 0 }]);
    expect(again.headTurnId).not.toBe(interrupted);
    await opening.host.sessions.close();
  });
});

test("a turn that is not the head any more can be asked for its end", async () => {
  const host = open();
  const session = await host.begin();
  const first = await host.play(session, "one");
  await host.play(session, "two");
  expect(await host.sessions.turnEnded(session, first)).toBe("completed");
  const { turnId } = ok(await host.sessions.prompt(session, "wait"));
  await new Promise((next) => setImmediate(next));
  ok(await host.sessions.cancel(session));
  expect(await host.sessions.turnEnded(session, turnId)).toBe("cancelled");
});
