/** Readers of a stream: each event once and in order, at the reader's pace, encoded once for all of them. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StreamedEvent, StreamReader } from "../src/runtime/seams/session-service.ts";
import type { LogDetail, Store } from "../src/runtime/seams/store.ts";
import { createFollowers, type Followers } from "../src/runtime/sessions/followers.ts";
import { createSessionLog, type SessionLog } from "../src/runtime/sessions/session-log.ts";
import { createAncestry } from "../src/runtime/turns/ancestry.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import { createFakeClock } from "./fake-clock.ts";

const SESSION = "s";

let store: Store;
let log: SessionLog;
let followers: Followers;
/** Every time the store was asked for a page. */
let reads: number[];

beforeEach(() => {
  const real = openSqliteStore(":memory:");
  reads = [];
  store = {
    ...real,
    eventsAfter: (sessionId, after, limit, logs) => {
      reads.push(after);
      return real.eventsAfter(sessionId, after, limit, logs);
    },
  };
  let ids = 0;
  followers = createFollowers(store, createAncestry(store));
  const listener = { committed: followers.tell, owed: () => {} };
  log = createSessionLog(store, createFakeClock(), () => `id-${++ids}`, listener);
  log.append(SESSION, [
    { event: "session:start", component: "kernel", data: { plan: { goal: "g", inputs: {} }, title: "t" } },
  ]);
});
afterEach(() => store.close());

function rename(...titles: string[]): void {
  log.append(
    SESSION,
    titles.map((title) => ({ event: "session:title", component: "kernel", data: { title } })),
  );
}

/** So many events in the log, written before anybody reads. */
function fill(count: number): void {
  rename(...Array.from({ length: count - store.lastSeq(SESSION) }, (_, n) => `title ${n}`));
}

function logLines(from: number, count: number): void {
  const texts = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ version: "0", type: "log", level: "info", message: `line ${from + n}` }),
  );
  const draft = {
    event: "tool:event",
    component: "runner",
    turn_id: "t",
    span_id: "a",
    data: { toolId: "x" },
  } as const;
  log.appendLines(SESSION, draft, from, texts, null);
}

interface Heard extends StreamReader {
  seqs: number[];
  events: StreamedEvent[];
  isClosed: boolean;
  resume(): void;
  close(): void;
}

/** Takes `room` events, and then says that it is full. */
function follow(after = 0, room = Infinity, logs: LogDetail = "each"): Heard {
  const heard: Heard = {
    seqs: [],
    events: [],
    isClosed: false,
    take: (event) => {
      heard.seqs.push(event.seq);
      heard.events.push(event);
      return heard.seqs.length % room !== 0;
    },
    closed: () => {
      heard.isClosed = true;
    },
    resume: () => subscription.resume(),
    close: () => subscription.close(),
  };
  const subscription = followers.follow(SESSION, after, heard, logs);
  return heard;
}

/** Until every page that was to be turned has been. */
async function settled(): Promise<void> {
  for (let reading = -1; reading !== reads.length;) {
    reading = reads.length;
    for (let round = 0; round < 3; round++) await new Promise((go) => setImmediate(go));
  }
}

function upTo(last: number, first = 1): number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}

describe("[U1.8] a reader", () => {
  test("hears what is stored, then what happens, each once", async () => {
    fill(1_200);
    const heard = follow();
    await settled();
    rename("one");
    rename("two", "three");
    expect(heard.seqs).toEqual(upTo(1_203));
    expect(heard.events.at(-1)?.event()).toMatchObject({ event: "session:title", data: { title: "three" } });
  });

  test("hears nothing before its number, and all that came while it was catching up", async () => {
    fill(700);
    const heard = follow(650);
    rename("while it has not even begun");
    await settled();
    expect(heard.seqs).toEqual(upTo(701, 651));
  });

  test("that is full hears nothing until it goes on, and then goes on where it stopped", async () => {
    fill(10);
    const heard = follow(0, 4);
    await settled();
    rename("meanwhile");
    await settled();
    expect(heard.seqs).toEqual(upTo(4));
    heard.resume();
    await settled();
    expect(heard.seqs).toEqual(upTo(8));
    heard.resume();
    await settled();
    expect(heard.seqs).toEqual(upTo(11));
  });

  test("that is full at something that just happened is held to it too", async () => {
    const heard = follow(0, 2);
    await settled();
    rename("a", "b", "c");
    rename("d");
    expect(heard.seqs).toEqual([1, 2]);
    heard.resume();
    heard.resume();
    await settled();
    expect(heard.seqs).toEqual(upTo(5).slice(0, heard.seqs.length));
    heard.resume();
    await settled();
    expect(heard.seqs).toEqual(upTo(5));
  });

  test("that was full is not read its page again", async () => {
    fill(400);
    const heard = follow(0, 10);
    await settled();
    const pages = reads.length;
    for (let round = 0; round < 20; round++) heard.resume();
    expect(heard.seqs).toEqual(upTo(210));
    expect(reads).toHaveLength(pages);
  });

  test("that breaks loses its place, and nobody else notices", async () => {
    const heard = follow();
    followers.follow(SESSION, 0, { take: () => fail("a broken pipe"), closed: () => {} }, "each");
    await settled();
    rename("a");
    expect(heard.seqs).toEqual([1, 2]);
  });

  test("that left hears nothing more; one whose session is gone is told so", async () => {
    const left = follow();
    const stays = follow();
    await settled();
    left.close();
    rename("a");
    expect([left.seqs, left.isClosed, stays.seqs]).toEqual([[1], false, [1, 2]]);
    followers.closeOf(SESSION);
    rename("b");
    expect([stays.isClosed, stays.seqs]).toEqual([true, [1, 2]]);
  });

  test("that writes while it is told does not lose its place", async () => {
    const heard = follow();
    let isFirst = true;
    const before = heard.take;
    heard.take = (event) => {
      if (isFirst) rename("from inside");
      isFirst = false;
      return before(event);
    };
    await settled();
    expect(heard.seqs).toEqual([1, 2]);
  });
});

describe("many readers", () => {
  test("are handed the same encoded event, and the store is not read for it", async () => {
    const heard = Array.from({ length: 5 }, () => follow());
    await settled();
    const pages = reads.length;
    rename("a");
    expect(reads).toHaveLength(pages);
    const last = heard.map(({ events }) => events.at(-1));
    expect(new Set(last).size).toBe(1);
    expect(last[0]?.json).toBe(store.eventsAfter(SESSION, 1, 1)[0]?.json);
  });

  test("of log lines are read them once from the store, line by line or as a run", async () => {
    const each = [follow(), follow()];
    const runs = [follow(0, Infinity, "runs"), follow(0, Infinity, "runs")];
    await settled();
    const pages = reads.length;
    logLines(0, 30);
    expect(reads).toHaveLength(pages + 2);
    for (const { seqs } of each) expect(seqs).toEqual(upTo(31));
    for (const { seqs } of runs) expect(seqs).toEqual([1, 31]);
    expect(runs[0]?.events[1]?.event()).toMatchObject({ data: { lines: { count: 30 } } });
  });

  test("of more log lines than a page get them in pages", async () => {
    const heard = follow();
    await settled();
    logLines(0, 1_700);
    expect(heard.seqs).toEqual([1]);
    await settled();
    expect(heard.seqs).toEqual(upTo(1_701));
  });

  test("that catch up read each page once, and let others work in between", async () => {
    fill(5_000);
    const heard = follow();
    const turns: number[] = [];
    while (heard.seqs.length < 5_000) {
      turns.push(heard.seqs.length);
      await new Promise((go) => setImmediate(go));
    }
    await settled();
    expect(reads).toEqual([...new Set(reads)]);
    expect(reads.length).toBeLessThanOrEqual(11);
    expect(turns.length).toBeGreaterThanOrEqual(10);
  });
});

function fail(message: string): never {
  throw new Error(message);
}
