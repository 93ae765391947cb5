/** What a fork has of its parent, as a stream and as records: what led to it, and nothing of what came after. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../src/runtime/seams/store.ts";
import { logInto, type DraftLog } from "./log-into.ts";
import { createAncestry, type Ancestry } from "../src/runtime/turns/ancestry.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import type { EventDraft } from "../src/story/event.ts";
import { fork, logLines, start, turn, turnEnd } from "./store-behaviour.ts";

let store: Store;
let log: DraftLog;
let ancestry: Ancestry;
beforeEach(() => {
  store = openSqliteStore(":memory:");
  log = logInto(store);
  ancestry = createAncestry(store);
});
afterEach(() => store.close());

function mount(session: string, module: string): EventDraft {
  return { component: "kernel", session_id: session, event: "mount:add", data: { path: `/tools/${module}`, module } };
}

function played(session: string, turnId: string, parent: string | null = null): EventDraft[] {
  return [turn(session, turnId, turnId, parent), turnEnd(session, turnId)];
}

/** Each event in short, by way of pages of three. */
function stream(sessionId: string): string[] {
  const told: string[] = [];
  for (let at = 0, isLast = false; !isLast;) {
    const page = ancestry.stream(sessionId, at, 3, "each");
    for (const { seq, name, turnId, event } of page.events) {
      const { data } = event();
      told.push(`${seq} ${name} ${turnId ?? ("module" in data ? data.module : "")}`.trim());
    }
    ({ next: at, isLast } = page);
  }
  return told;
}

function recorded(sessionId: string): string[] {
  return [...ancestry.records(sessionId)].flatMap((record) => {
    if (record.kind === "lines") return record.lines.map((_, n) => `${(record.first.seq ?? 0) + n} tool:event t`);
    const { seq, event, turn_id, data } = record.event;
    return `${seq} ${event} ${turn_id ?? ("module" in data ? data.module : "")}`.trim();
  });
}

function mounted(sessionId: string): string[] {
  return ancestry.sessionEvents(sessionId, "mount:add").map(({ data }) => data.module);
}

test("[K1.3] a fork has its parent's mounts as they were, and none that came later", () => {
  log.append([start("a"), mount("a", "bell"), ...played("a", "t"), ...played("a", "aside", "t")]);
  log.append([fork("b", "a", "t")]);
  log.append([mount("a", "later in a"), ...played("a", "u", "t"), mount("b", "drum"), ...played("b", "v", "t")]);
  log.append([fork("c", "b", "v")]);
  log.append([mount("b", "later in b"), mount("c", "harp"), mount("a", "much later in a")]);
  const ofA = ["1 session:start", "2 mount:add bell", "3 turn:start t", "4 turn:end t"];
  const ofB = ["7 session:fork", "8 mount:add drum", "9 turn:start v", "10 turn:end v"];
  const ofC = ["11 session:fork", "12 mount:add harp"];
  expect(stream("b")).toEqual([...ofA, ...ofB, "11 mount:add later in b"]);
  expect(recorded("b")).toEqual(stream("b"));
  expect(stream("c")).toEqual([...ofA, ...ofB.filter((told) => !told.includes("fork")), ...ofC]);
  expect(recorded("c")).toEqual(stream("c"));
  expect(mounted("b")).toEqual(["bell", "drum", "later in b"]);
  expect(mounted("c")).toEqual(["bell", "drum", "harp"]);
});

test("[K1.3] lines are inherited with their turn, wherever a reader begins", () => {
  log.append([start("a"), turn("a", "t")]);
  logLines(log, "a", "t", 20);
  log.append([turnEnd("a", "t"), fork("b", "a", "t")]);
  expect(stream("b")).toHaveLength(24);
  expect(recorded("b")).toEqual(stream("b"));
  expect(ancestry.stream("b", 10, 5, "each").events.map(({ seq }) => seq)).toEqual([11, 12, 13, 14, 15]);
  expect(ancestry.stream("b", 10, 5, "runs").events.map(({ seq }) => seq)).toEqual([22, 23]);
});

test("[K1.3] a fork's tree has the turns that led to it, and of each moment the take that did", () => {
  const children = [...played("a", "u", "t"), ...played("a", "other u", "t"), ...played("a", "w", "u")];
  log.append([start("a"), ...played("a", "t"), ...children]);
  log.append([fork("b", "a", "u"), ...played("b", "own", "u"), ...played("b", "own again", "u")]);
  log.append(played("b", "other way", "t"));
  const turns = (sessionId: string): string[] => ancestry.turns(sessionId).map(({ turnId }) => turnId);
  expect(turns("a")).toEqual(["t", "u", "other u", "w"]);
  expect(turns("b")).toEqual(["t", "u", "own", "own again", "other way"]);
  expect(turns("nobody")).toEqual([]);
  expect(ancestry.takes("b", null)).toEqual(["t"]);
  expect(ancestry.takes("b", "t")).toEqual(["u", "other way"]);
  expect(ancestry.takes("b", "u")).toEqual(["own", "own again"]);
  expect(ancestry.takes("a", "t")).toEqual(["u", "other u"]);
  const inB = ["t", "u", "other u", "w", "own", "none"].filter((turnId) => ancestry.turnIn("b", turnId) !== null);
  expect(inB).toEqual(["t", "u", "own"]);
  expect(ancestry.turnIn("a", "own")).toBeNull();
});
