import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFakeClock } from "../../../test/fake-clock.ts";
import { removeNow } from "../../../test/remove-now.ts";
import { openSqliteStore } from "../../stores/sqlite.ts";
import type { DraftOf } from "../../story/event.ts";
import type { Story } from "../mounts/load-story.ts";
import type { Store } from "../seams/store.ts";
import { createAncestry } from "../turns/ancestry.ts";
import { createObservedLog } from "./observed-log.ts";
import { createSessionLog, type SessionLog } from "./session-log.ts";

const NOTE: DraftOf<"module:invoke"> = {
  event: "module:invoke",
  component: "kernel",
  module: "scribe",
  status: "ok",
  duration_ms: 1,
  data: { op: "on_event" },
};
let store: Store;
let log: SessionLog;
let known: Set<string>;
let mounted: string[];
let isBroken: boolean;
let duringOpen: () => void;

beforeEach(() => {
  store = openSqliteStore(":memory:");
  let ids = 0;
  log = createSessionLog(store, createFakeClock(), () => `id-${++ids}`, { committed: () => {}, owed: () => {} });
  known = new Set();
  mounted = [];
  isBroken = false;
  duringOpen = () => {};
  begin("s", "/story");
});
afterEach(() => store.close());

function begin(sessionId: string, dir: string): void {
  const data = { plan: { goal: "g", inputs: {} }, story: { dir, title: "S", version: null } };
  log.append(sessionId, [{ event: "session:start", component: "kernel", data }]);
}

function observed() {
  const openForTurn = async (dir: string) => {
    duringOpen();
    if (isBroken) return { kind: "invalid", problems: [] } as const;
    return { kind: "story", story: { dir } as Story, narrator: { next: () => Promise.reject(new Error()) } } as const;
  };
  const moduleHooks = {
    knows: (sessionId: string) => known.has(sessionId),
    mount: async (sessionId: string, { dir }: { dir: string }) => (mounted.push(`${sessionId} ${dir}`), []),
  };
  return createObservedLog({ store, ancestry: createAncestry(store), log }, { openForTurn } as never, moduleHooks);
}

const namesAfter = (after: number): string[] =>
  observed()
    .read("s", after)
    .map(({ event }) => event);

describe("[K1.4] the hooks of a session", () => {
  test("of which nothing is known yet are its story's", async () => {
    await observed().introduce("s");
    expect(mounted).toEqual(["s /story"]);
  });

  test("are its parent's story's, in a fork", async () => {
    log.append("f", [{ event: "session:fork", component: "kernel", data: { parent: "s" } }]);
    await observed().introduce("f");
    expect(mounted).toEqual(["f /story"]);
  });

  test("are known, or nobody's: nothing to wait for", () => {
    known.add("s");
    begin("strange", "");
    expect(["s", "strange", "none"].map((id) => observed().introduce(id))).toEqual([null, null, null]);
  });

  test("are left alone when a turn began meanwhile, or the story is broken", async () => {
    duringOpen = () => known.add("s");
    await observed().introduce("s");
    known.clear();
    duringOpen = () => {};
    isBroken = true;
    await observed().introduce("s");
    expect(mounted).toEqual([]);
  });
});

describe("[K1.4] what they hear of", () => {
  test("is read in pages", () => {
    const title = { event: "session:title", component: "kernel", data: { title: "x" } } as const;
    log.append(
      "s",
      Array.from({ length: 150 }, () => title),
    );
    expect(namesAfter(0)).toHaveLength(100);
    expect(namesAfter(0).slice(0, 2)).toEqual(["session:start", "session:title"]);
    expect(namesAfter(100)).toHaveLength(51);
    expect(namesAfter(151)).toEqual([]);
  });

  test("is nothing where it cannot be read", () => {
    const closed = observed();
    store.close();
    expect(closed.read("s", 0)).toEqual([]);
    closed.note("s", NOTE);
    store = openSqliteStore(":memory:");
  });

  test("is noted, but not in a session that is gone", () => {
    observed().note("s", NOTE);
    expect(namesAfter(1)).toEqual(["module:invoke"]);
    observed().note("none", NOTE);
    expect(store.session("none")).toBeNull();
    log.append("f", [{ event: "session:fork", component: "kernel", data: { parent: "s" } }]);
    const before = store.lastSeq("s");
    removeNow(store, "s");
    observed().note("s", NOTE);
    expect(store.lastSeq("s")).toBeLessThanOrEqual(before);
  });
});
