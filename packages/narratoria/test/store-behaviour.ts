/** What holds for every store, whatever it keeps its log in. Each implementation's test calls this with a way to open one. */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordOf, type LogRecord, type Store, type StoredEvent } from "../src/runtime/seams/store.ts";
import { logInto, type DraftLog } from "./log-into.ts";
import { removeNow } from "./remove-now.ts";
import { stamp, type EventDraft, type NarratoriaEvent } from "../src/story/event.ts";

export function describeStore(name: string, openStore: () => { store: Store; discard(): void }): void {
  let store: Store;
  let log: DraftLog;
  let discard = (): void => {};
  beforeEach(() => {
    ({ store, discard } = openStore());
    log = logInto(store);
  });
  afterEach(() => discard());

  describe(`a store ${name}: numbers`, () => {
    test("[K1.1] every session counts for itself, from 1 and without gaps, also when they write in turns", () => {
      log.append([start("a"), start("b"), turn("a", "ta")]);
      logLines(log, "a", "ta", 3);
      log.append([turn("b", "tb"), title("a", "x"), title("b", "y")]);
      expect(numbersOf(store, "a")).toEqual([1, 2, 3, 4, 5, 6]);
      expect(numbersOf(store, "b")).toEqual([1, 2, 3]);
      expect([store.lastSeq("a"), store.lastSeq("b"), store.lastSeq("nobody")]).toEqual([6, 3, 0]);
      expect(store.session("a")).toMatchObject({ lastSeq: 6, forkSeq: null });
    });

    test("[K1.3] a fork's begin after the last of its parent, and then both count on", () => {
      log.append([start("a"), turn("a", "t")]);
      log.append([fork("b", "a", "t"), title("a", "later"), fork("c", "b", "t"), title("b", "later")]);
      expect(store.session("b")).toMatchObject({ parentSessionId: "a", forkTurnId: "t", forkSeq: 3, lastSeq: 4 });
      expect(store.session("c")).toMatchObject({ forkSeq: 4, lastSeq: 4 });
      expect(numbersOf(store, "a")).toEqual([1, 2, 3]);
      expect(numbersOf(store, "b")).toEqual([3, 4]);
    });

    test.each<[string, (n: number) => LogRecord]>([
      ["again", (last) => recordOf(event(title("a", "x"), last))],
      ["leaving one out", (last) => recordOf(event(title("a", "x"), last + 2))],
    ])("[Z1.4] a number %s is refused, and nothing of that append is kept", (_, record) => {
      log.append([start("a"), start("b")]);
      const good = recordOf(event(title("b", "x"), 2));
      expect(() => store.append([good, record(store.lastSeq("a"))])).toThrow("does not follow");
      expect([numbersOf(store, "a"), numbersOf(store, "b")]).toEqual([[1], [1]]);
      store.append([good]);
      expect(numbersOf(store, "b")).toEqual([1, 2]);
    });

    test("a log that has no beginning is refused", () => {
      expect(() => log.append([title("nobody", "x")])).toThrow("never begun");
      expect(() => log.append([fork("b", "nobody", "t")])).toThrow("never begun");
      expect(store.eventsAfter("nobody", 0, 9)).toEqual([]);
    });

    test("an id is given once", () => {
      log.append([start("a")]);
      const twice = event(title("a", "x"), 2);
      expect(() => store.append([recordOf(twice), recordOf({ ...twice, seq: 3 })])).toThrow(/unique/i);
      expect(store.lastSeq("a")).toBe(1);
    });
  });

  describe(`a store ${name}: reading`, () => {
    test("[K1.1] events and lines come back in order, in pages of any size, and as runs", () => {
      log.append([start("s"), turn("s", "t")]);
      logLines(log, "s", "t", 3);
      log.append([title("s", "between")]);
      logLines(log, "s", "t", 900, 3);
      log.append([turnEnd("s", "t"), start("other")]);
      expect(numbersOf(store, "s")).toEqual(Array.from({ length: 907 }, (_, n) => n + 1));
      for (const size of [7, 500]) expect(wordsOf(pages(store, "s", size))).toEqual(wordsOf(pages(store, "s", 2000)));
      expect(wordsOf(store.eventsAfter("s", 4, 3))).toEqual(["line 2", "session:title", "line 3"]);
      expect(wordsOf(store.eventsAfter("s", 905, 9))).toEqual(["line 902", "turn:end"]);
      const runs = store.eventsAfter("s", 3, 9, "runs");
      expect(runs.map(({ seq }) => seq)).toEqual([5, 6, 906, 907]);
      expect(runs.map(countOf)).toEqual([2, null, 900, null]);
    });

    test("[K1.1] an event's text is what was written, on one line, and says the same as the event", () => {
      const [written] = log.append([start("s"), turn("s", "t", "say\r\n\u2028 hé")]).slice(1);
      log.appendLines(line("s", "t"), 0, ['{"version":"0",\r"type":"log","level":"info","message":"a\\nb"}'], null);
      const [, begun, printed] = store.eventsAfter("s", 0, 9);
      expect(begun?.json).toBe(JSON.stringify(written));
      expect(begun).toMatchObject({ seq: 2, turnId: "t", name: "turn:start" });
      expect(printed).toMatchObject({ seq: 3, turnId: "t", name: "tool:event" });
      for (const stored of [begun, printed]) {
        expect(stored?.json).not.toMatch(/[\n\r]/);
        expect(JSON.parse(stored?.json ?? "")).toEqual(stored?.event());
        expect(stored?.event()).toBe(stored?.event());
      }
      expect(printed?.event()).toMatchObject({ id: "span:0", data: { toolId: "x", event: { message: "a\nb" } } });
    });

    test("[K1.3] a session has its own only: what a fork inherits is no matter of the store", () => {
      log.append([start("a"), turn("a", "t"), turnEnd("a", "t"), fork("b", "a", "t"), turn("b", "u", "on", "t")]);
      expect(wordsOf(store.eventsAfter("b", 0, 9))).toEqual(["session:fork", "turn:start"]);
      expect([...store.records("b")].map(nameOf)).toEqual(["session:fork", "turn:start"]);
      expect(store.sessionEvents("b", "session:start")).toEqual([]);
      expect(store.pathTo("u", 9).map(({ turnId }) => turnId)).toEqual(["t", "u"]);
      expect(store.turnsOf("b").map(({ turnId, startSeq }) => [turnId, startSeq])).toEqual([["u", 5]]);
      expect(store.turnsOf("b").map(store.promptOf)).toEqual(["on"]);
      expect(store.isBuiltOn("t")).toBe(true);
    });

    test("[K1.1] of a turn: everything but lines, or what has one of the names", () => {
      log.append([start("s"), turn("s", "t")]);
      logLines(log, "s", "t", 2);
      log.append([turnEnd("s", "t")]);
      expect(store.turnEvents("t").map(({ event }) => event)).toEqual(["turn:start", "turn:end"]);
      expect(store.turnEvents("t", ["turn:end", "plan:end"]).map(({ data }) => data)).toEqual([{ turnId: "t" }]);
      expect(store.turnEvents("t", [])).toEqual([]);
      expect(store.turnEvents("nobody")).toEqual([]);
    });

    test("[K1.1] records are what was appended, up to a number", () => {
      log.append([start("s"), turn("s", "t")]);
      logLines(log, "s", "t", 2);
      log.append([turnEnd("s", "t"), title("s", "x")]);
      expect([...store.records("s")].map(nameOf)).toEqual([
        "session:start",
        "turn:start",
        2,
        "turn:end",
        "session:title",
      ]);
      expect([...store.records("s", 5)].map(nameOf)).toEqual(["session:start", "turn:start", 2, "turn:end"]);
      expect([...store.records("s", 4)].map(nameOf)).toEqual(["session:start", "turn:start", 2]);
      expect([...store.records("s", 3)].map(nameOf)).toEqual(["session:start", "turn:start"]);
      const copied = [...store.records("s")].map((record) => asSession(record, "copy"));
      removeNow(store, "s");
      store.append(copied);
      expect(wordsOf(pages(store, "copy", 2))).toHaveLength(6);
    });

    test("[U1.5] lines of an attempt by their place", () => {
      log.append([start("s"), turn("s", "t")]);
      logLines(log, "s", "t", 3);
      logLines(log, "s", "t", 900, 3);
      expect(store.countLogLines("span")).toBe(903);
      expect([...store.logLines("span", 2, 3)].map(messageOf)).toEqual(["line 2", "line 3", "line 4"]);
      expect([...store.logLines("span", 903, 5)]).toEqual([]);
      expect(messageOf(store.latestLog("span")?.line)).toBe("line 902");
      expect(store.latestLog("nobody")).toBeNull();
    });

    test("[K1.1] sessions and turns as their events left them", () => {
      log.append([start("s"), turn("s", "t"), turnEnd("s", "t"), turn("s", "u", "go", "t"), interrupt("s", "u")]);
      expect(store.sessions()).toMatchObject([{ sessionId: "s", title: "Title", headTurnId: "u", ended: false }]);
      expect(store.turn("t")).toMatchObject({ status: "completed", parentTurnId: null, startSeq: 2 });
      expect(store.turn("u")).toMatchObject({ status: "interrupted", parentTurnId: "t", number: 1, startSeq: 4 });
      expect(store.runningTurns()).toEqual([]);
      expect(store.takes("s", "t").map(({ turnId }) => turnId)).toEqual(["u"]);
      log.append([title("s", "Renamed"), { ...kernel("s"), event: "session:end", data: { reason: "over" } }]);
      expect(store.session("s")).toMatchObject({ title: "Renamed", ended: true });
      store.saveSnapshot("t", { lit: true });
      expect([store.snapshot("t"), store.snapshot("u")]).toEqual([{ lit: true }, null]);
    });
  });

  describe(`a store ${name}: keeping`, () => {
    test("a session that others were forked from is hidden, and goes with the last of them", () => {
      log.append([start("a"), turn("a", "t"), turnEnd("a", "t"), fork("b", "a", "t")]);
      removeNow(store, "a");
      expect(store.sessions().map(({ sessionId }) => sessionId)).toEqual(["b"]);
      expect(store.session("a")?.removed).toBe(true);
      expect(store.turnEvents("t")).toHaveLength(2);
      removeNow(store, "b");
      expect([store.session("a"), store.session("b"), store.turn("t")]).toEqual([null, null, null]);
      expect(store.turnEvents("t")).toEqual([]);
    });

    test("[Z1.4] what is as it was written shows no damage", () => {
      log.append([start("a"), turn("a", "t")]);
      logLines(log, "a", "t", 900);
      log.append([turnEnd("a", "t"), fork("b", "a", "t"), title("a", "x")]);
      log.append([start("c")]);
      removeNow(store, "c");
      for (const session of ["a", "b", "c", "nobody"]) expect(store.findDamage(session)).toEqual([]);
    });
  });
}

const kernel = (session_id: string) => ({ component: "kernel", session_id }) as const;

export function start(session: string): EventDraft {
  const story = { dir: "/stories/story", title: "Story" };
  return {
    ...kernel(session),
    event: "session:start",
    data: { title: "Title", story, plan: { goal: "", inputs: {} } },
  };
}

export function fork(session: string, parent: string, turnId: string): EventDraft {
  return { ...kernel(session), event: "session:fork", data: { parent, turnId, title: "Fork" } };
}

export function title(session: string, text: string): EventDraft {
  return { ...kernel(session), event: "session:title", data: { title: text } };
}

export function turn(session: string, turnId: string, prompt = "go", parentTurnId: string | null = null): EventDraft {
  const number = parentTurnId === null ? 0 : 1;
  const data = { turnId, parentTurnId, number, prompt, takes: [turnId] };
  return { ...kernel(session), event: "turn:start", turn_id: turnId, data };
}

export function turnEnd(session: string, turnId: string): EventDraft {
  return { ...kernel(session), event: "turn:end", status: "completed", turn_id: turnId, data: { turnId } };
}

function interrupt(session: string, turnId: string): EventDraft {
  return { ...kernel(session), event: "turn:interrupt", turn_id: turnId, data: { turnId } };
}

/** `count` log lines of the attempt "span", from its `from`th on. */
export function logLines(log: DraftLog, session: string, turnId: string, count: number, from = 0): void {
  const texts = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ version: "0", type: "log", level: "info", message: `line ${from + n}` }),
  );
  log.appendLines(line(session, turnId), from, texts, null);
}

function line(session: string, turnId: string): Parameters<DraftLog["appendLines"]>[0] {
  const about = { component: "runner", session_id: session, turn_id: turnId, span_id: "span" } as const;
  return { ...about, event: "tool:event", data: { toolId: "x" } };
}

/** As a log would stamp it, with a number of one's own. */
function event(draft: EventDraft, seq: number): NarratoriaEvent {
  return stamp(draft, { id: randomUUID(), ts: 1, seq });
}

function asSession(record: LogRecord, session_id: string): LogRecord {
  if (record.kind === "lines") return { ...record, first: { ...record.first, session_id } };
  return recordOf({ ...record.event, session_id });
}

function pages(store: Store, sessionId: string, size: number): StoredEvent[] {
  const all: StoredEvent[] = [];
  for (let page = store.eventsAfter(sessionId, 0, size); page.length > 0;) {
    expect(page.length).toBeLessThanOrEqual(size);
    all.push(...page);
    page = store.eventsAfter(sessionId, all.at(-1)?.seq ?? 0, size);
  }
  return all;
}

function numbersOf(store: Store, sessionId: string): number[] {
  return pages(store, sessionId, 100).map(({ seq }) => seq);
}

function wordsOf(events: readonly StoredEvent[]): unknown[] {
  return events.map((stored) => messageOf(stored.event()) ?? stored.name);
}

function messageOf(event: NarratoriaEvent | undefined): string | undefined {
  return event?.event === "tool:event" && event.data.event.type === "log" ? event.data.event.message : undefined;
}

function countOf(stored: StoredEvent): number | null {
  const found = stored.event();
  return found.event === "tool:event" ? (found.data.lines?.count ?? null) : null;
}

function nameOf(record: LogRecord): string | number {
  return record.kind === "event" ? record.event.event : record.lines.length;
}
