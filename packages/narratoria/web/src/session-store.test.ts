/** What the page's store makes of a stream that does not go on where it should. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { logged, numbered, patched, planned, start, toolStart, turn } from "../../test/told-events.ts";
import type { NarratoriaEvent } from "../../src/story/event.ts";
import { emptyView, foldView } from "../../src/story/fold-view.ts";
import { asRun } from "../../src/story/log-lines.ts";
import type { SessionView } from "../../src/story/session-view.ts";
import type { PageReader } from "./event-stream.ts";
import { createSessionStore, type SessionStore } from "./session-store.ts";

const LOG = numbered([
  start({ n: 0 }),
  turn(),
  planned("x"),
  toolStart(),
  ...Array.from({ length: 8 }, (_, n) => patched({ n: n + 1 })),
]);
const viewAt = (seq: number): SessionView => foldView(emptyView("s"), LOG.slice(0, seq));

let store: SessionStore;
let reader: PageReader;
/** What the server has, and how often it was asked. */
let onServer: SessionView;
let fetched: number;
let stop: () => void;

beforeEach(async () => {
  vi.stubGlobal("document", Object.assign(new EventTarget(), { hidden: false }));
  onServer = viewAt(4);
  fetched = 0;
  let following = (): void => {};
  const begun = new Promise<void>((go) => (following = go));
  store = createSessionStore("s", {
    fetch: async () => (fetched++, { kind: "ok", value: onServer }),
    follow: (_, given) => ((reader = given), following(), () => {}),
  });
  stop = store.start();
  await begun;
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
});

const shown = (): SessionView => {
  const state = store.get();
  if (state.kind !== "ready") throw new Error(state.kind);
  return state.view;
};
/** Passes events on as the stream does; what the server is asked is answered before this settles. */
const pass = async (after: number, events: NarratoriaEvent[]): Promise<void> => {
  reader.events(after, events);
  await vi.waitFor(() => expect(fetched).toBeGreaterThan(0));
  for (let step = 0; step < 10; step++) await Promise.resolve();
};

test("[U1.8] events that go on are folded, and nothing is asked", async () => {
  await pass(4, LOG.slice(4, 6));
  await pass(6, LOG.slice(6, 7));
  expect([shown(), fetched]).toEqual([viewAt(7), 1]);
});

test("[U1.8] an event that is missing in a batch: the whole picture is fetched, and nothing wrong is shown", async () => {
  onServer = viewAt(7);
  await pass(4, [...LOG.slice(4, 5), ...LOG.slice(6, 7)]);
  expect([shown(), fetched]).toEqual([viewAt(7), 2]);
  await pass(7, LOG.slice(7, 8));
  expect([shown(), fetched]).toEqual([viewAt(8), 2]);
});

test("[U1.8] a batch that was missed: the next one tells", async () => {
  onServer = viewAt(8);
  await pass(6, LOG.slice(6, 8));
  expect([shown(), fetched]).toEqual([viewAt(8), 2]);
});

test("[U1.8] a stream that says it goes on here, and does not", async () => {
  onServer = viewAt(8);
  await pass(4, LOG.slice(6, 8));
  expect([shown(), fetched]).toEqual([viewAt(8), 2]);
});

test("[U1.8] lines that are missing before a run of lines", async () => {
  const run = (last: number, count: number): NarratoriaEvent[] =>
    numbered([logged("x")], last).map((event) =>
      event.event === "tool:event" ? asRun(event, { count, progress: null }) : event,
    );
  await pass(4, run(104, 100));
  expect([shown().turns[0]?.tools[0]?.logCount, shown().seq, fetched]).toEqual([100, 104, 1]);
  await pass(104, run(205, 100));
  expect(fetched).toBe(2);
});

test("[U1.8] a log that began anew is shown as it is now, though its numbers are lower", async () => {
  onServer = viewAt(3);
  await pass(4, LOG.slice(0, 3));
  expect([shown(), fetched]).toEqual([viewAt(3), 2]);
  await pass(3, LOG.slice(3, 5));
  expect([shown(), fetched]).toEqual([viewAt(5), 2]);
});

test("what the answer to an action told before is not folded twice, and is no reason to ask", async () => {
  store.accept(viewAt(6));
  await pass(4, LOG.slice(4, 7));
  expect([shown(), fetched]).toEqual([viewAt(7), 1]);
});

test("an older picture does not replace a newer one", async () => {
  await pass(4, LOG.slice(4, 8));
  store.accept(viewAt(5));
  expect(shown()).toEqual(viewAt(8));
});
