/** What is loaded of a session, held against the fold of all its events, for logs in which turns end in every way. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFakeClock } from "../../../test/fake-clock.ts";
import { planOfTools } from "../../../test/told-events.ts";
import { openSqliteStore } from "../../stores/sqlite.ts";
import type { EventDraft, NarratoriaEvent } from "../../story/event.ts";
import { foldState } from "../../story/fold-state.ts";
import { foldView, emptyView } from "../../story/fold-view.ts";
import { emptyState, NARRATOR_MEMORY, type SessionState } from "../../story/session-state.ts";
import { atOnce } from "../execution/slices.ts";
import type { SessionRow, Store } from "../seams/store.ts";
import { createAncestry } from "../turns/ancestry.ts";
import { openLiveSession } from "./live-session.ts";
import { loadState, loadTellings } from "./load-state.ts";
import { loadView } from "./load-view.ts";
import { createSessionLog, type SessionLog } from "./session-log.ts";

let store: Store;
let log: SessionLog;
beforeEach(() => {
  store = openSqliteStore(":memory:");
  let ids = 0;
  log = createSessionLog(store, createFakeClock(), () => `id-${++ids}`, { committed: () => {}, owed: () => {} });
  const inputs = { state: { oil: 3 } };
  const data = { plan: { goal: "g", inputs }, story: { dir: "/story", title: "S", version: null } };
  log.append("s", [{ event: "session:start", component: "kernel", data }]);
});
afterEach(() => store.close());

/** How a turn goes: told to its end, stopped, broken, left in the middle, or still running. */
const WAYS = ["completed", "cancelled", "failed", "interrupted"] as const;
type Way = (typeof WAYS)[number] | "running";

/** Writes a turn that patches the state, tells something, offers choices, and ends as it is said. */
function writeTurn(turnId: string, parentTurnId: string | null, number: number, way: Way): void {
  const about = { component: "runtime", turn_id: turnId } as const;
  const tool = { ...about, request_id: `p-${turnId}`, module: "lamp", span_id: `x-${turnId}` };
  const plan = { ...planOfTools("a"), requestId: `p-${turnId}`, narrative: `You plan ${turnId}.` };
  const printed = (event: object): EventDraft =>
    ({ event: "tool:event", ...tool, data: { toolId: "a", event: { version: "0", ...event } } }) as EventDraft;
  const choices = [{ label: `after ${turnId}` }];
  const drafts: EventDraft[] = [
    { event: "turn:start", ...about, data: { turnId, parentTurnId, number, prompt: `go ${turnId}`, seed: 1 } },
    { event: "plan:create", ...about, request_id: plan.requestId, status: "accepted", data: { plan } },
    { event: "tool:start", ...tool, status: "running", data: { toolId: "a", attempt: 1 } },
    printed({ type: "state_patch", patch: { [turnId]: number, last: turnId } }),
    printed({ type: "ui_event", event: "narrative_choice", payload: { choices: [{ label: `in ${turnId}` }] } }),
    { event: "turn:tell", ...about, data: { turnId, text: `Of ${turnId}` } },
    { event: "turn:tell", ...about, data: { turnId, text: ", in pieces." } },
  ];
  if (way === "completed")
    drafts.push({
      event: "context:set",
      ...about,
      component: "narrator",
      data: { key: NARRATOR_MEMORY, value: `memory of ${turnId}` },
    });
  if (way === "interrupted") drafts.push({ event: "turn:interrupt", ...about, data: { turnId } });
  else if (way !== "running") {
    const failing = { consecutiveFailures: number + 1, status: "healthy", disabledInTurn: null } as const;
    const data = { turnId, narrative: `End of ${turnId}.`, choices, health: { lamp: failing } };
    drafts.push({ event: "turn:end", ...about, status: way, data });
  }
  log.append("s", drafts);
}

function rowOf(more: Partial<SessionRow> = {}): SessionRow {
  return { ...(store.session("s") as SessionRow), ...more };
}

/** All that happened on the way to a turn, in order: what the session would have seen, had it seen nothing else. */
function eventsTo(turnId: string | null): NarratoriaEvent[] {
  const way = new Set(turnId === null ? [] : store.pathTo(turnId, 1_000).map((turn) => turn.turnId));
  return store
    .eventsAfter("s", 0, 10_000)
    .map((stored) => stored.event())
    .filter(({ turn_id }) => !turn_id || way.has(turn_id));
}

function folded(turnId: string | null): SessionState {
  return foldState(emptyState("s"), eventsTo(turnId));
}

function loaded(headTurnId: string | null): SessionState {
  return atOnce(loadState(store, createAncestry(store), rowOf({ headTurnId })));
}

const PAIRS = WAYS.flatMap((one) => WAYS.map((two) => [one, two] as const));

describe("[N1.1] [K1.7] what running needs is the same read back as folded", () => {
  test.each(PAIRS)("after turns that went %s, then %s", (...ways) => {
    for (const last of [...WAYS, "running"] as const) {
      const turns = (["completed", ...ways, last] as const).map((way, number) => ({
        way,
        number,
        turnId: `${last}-t${number}`,
      }));
      for (const { way, number, turnId } of turns) writeTurn(turnId, turns[number - 1]?.turnId ?? null, number, way);
      const turnId = `${last}-t3`;
      const { tellings, seq: _, ...state } = folded(turnId);
      const { tellings: none, seq, ...read } = loaded(turnId);
      expect(read).toEqual(state);
      expect([none, seq]).toEqual([[], store.lastSeq("s")]);
      expect(atOnce(loadTellings(store, turnId))).toEqual(tellings);
    }
  });

  test("before the first turn", () => {
    writeTurn("t0", null, 0, "completed");
    log.append("s", [{ event: "context:set", component: "kernel", data: { key: "mood", value: "calm" } }]);
    log.append("s", [
      { event: "context:set", component: "kernel", data: { key: "enabled_skill", skill: "lamp", value: 2 } },
    ]);
    const { tellings, seq: _, ...state } = folded(null);
    expect(loaded(null)).toEqual({ ...state, tellings: [], seq: store.lastSeq("s") });
    expect(tellings).toEqual([]);
    expect(loaded(null)).toMatchObject({ head: null, memory: null, health: {}, state: { oil: 3 } });
    expect([...loaded(null).context]).toEqual([["mood", "calm"]]);
    expect([...loaded("t0").enabledSkills]).toEqual([["lamp", 2]]);
  });

  test("beyond many turns, with snapshots and without", () => {
    for (let n = 0; n < 70; n++)
      writeTurn(`t${n}`, n === 0 ? null : `t${n - 1}`, n, n % 5 === 3 ? "cancelled" : "completed");
    const compare = (): void => {
      for (const turnId of ["t1", "t9", "t51", "t69"]) {
        const { tellings, seq: _, ...state } = folded(turnId);
        expect(loaded(turnId)).toEqual({ ...state, tellings: [], seq: store.lastSeq("s") });
        expect(atOnce(loadTellings(store, turnId))).toEqual(tellings);
      }
    };
    compare();
    for (const turnId of ["t8", "t16", "t48"]) store.saveSnapshot(turnId, folded(turnId).state);
    compare();
  });

  test("a session that has ended", () => {
    writeTurn("t0", null, 0, "completed");
    expect(loaded("t0").ended).toBe(false);
    log.append("s", [{ event: "session:end", component: "kernel", data: { reason: "over" } }]);
    expect(loaded("t0").ended).toBe(true);
  });

  test("what is written while it is read is left for later", () => {
    writeTurn("t0", null, 0, "completed");
    writeTurn("t1", "t0", 1, "running");
    const row = rowOf();
    const about = { component: "runtime", turn_id: "t1" } as const;
    log.append("s", [{ event: "turn:tell", ...about, data: { turnId: "t1", text: " And more." } }]);
    const read = atOnce(loadState(store, createAncestry(store), row));
    expect(read.head?.texts.join(" ")).not.toContain("And more.");
    expect(read.seq).toBe(row.lastSeq);
    const view = atOnce(loadView(store, createAncestry(store), row));
    expect([JSON.stringify(view).includes("And more."), view.seq]).toEqual([false, row.lastSeq]);
  });
});

describe("[U1.6] a view is the same read back as folded", () => {
  test.each([3, 21, 27])("of the latest of %i turns", (count) => {
    for (let n = 0; n < count; n++) writeTurn(`t${n}`, n === 0 ? null : `t${n - 1}`, n, WAYS[n % 4] ?? "completed");
    log.append("s", [{ event: "session:bookmark", component: "kernel", data: { turnId: "t1", name: "here" } }]);
    log.append("s", [{ event: "session:title", component: "kernel", data: { title: "An evening" } }]);
    const check = (): void => {
      const { turns, ...read } = atOnce(loadView(store, createAncestry(store), rowOf()));
      const { turns: all, ...view } = foldView(emptyView("s"), eventsTo(`t${count - 1}`));
      expect(read).toEqual({ ...view, seq: store.lastSeq("s") });
      expect(turns.length).toBe(Math.min(count, 20, turns.length));
      expect(turns.length).toBeGreaterThanOrEqual(Math.min(count, 12));
      const latest = all.slice(-turns.length).map((turn) => ({ ...turn, takes: [turn.turnId] }));
      expect(turns).toEqual(latest);
    };
    check();
    for (let n = 0; n < count; n += 8) store.saveSnapshot(`t${n}`, folded(`t${n}`).state);
    check();
  });
});

describe("[K1.3] a session that is open", () => {
  function openIt() {
    return atOnce(openLiveSession(store, createAncestry(store), rowOf()));
  }

  test("goes where its head goes, whether that was prepared or not", async () => {
    for (let n = 0; n < 4; n++) writeTurn(`t${n}`, n === 0 ? null : `t${n - 1}`, n, "completed");
    const move = (turnId: string | null) =>
      log.append("s", [{ event: "session:head", component: "kernel", data: { turnId, reason: "x" } }]);
    for (const prepared of [undefined, "t1", "t2", null]) {
      for (const target of ["t1", "t2", null]) {
        const session = openIt();
        if (prepared !== undefined) await session.prepare(prepared);
        session.take(move(target));
        const { seq: _, ...expected } = folded(target);
        const { seq, ...state } = session.state();
        expect(state).toEqual(expected);
        expect(seq).toBe(store.lastSeq("s"));
        session.take(move("t3"));
        expect(session.state().head?.turnId).toBe("t3");
      }
    }
  });

  test("what was prepared is not used when something else happened since", async () => {
    for (let n = 0; n < 3; n++) writeTurn(`t${n}`, n === 0 ? null : `t${n - 1}`, n, "completed");
    const session = openIt();
    await session.prepare("t1");
    session.take(log.append("s", [{ event: "context:set", component: "kernel", data: { key: "mood", value: 1 } }]));
    session.take(
      log.append("s", [{ event: "session:head", component: "kernel", data: { turnId: "t1", reason: "x" } }]),
    );
    expect(session.state().context.get("mood")).toBe(1);
    expect(session.state()).toEqual({ ...folded("t1"), seq: store.lastSeq("s") });
  });

  test("what was prepared is not read again when its turn comes", async () => {
    for (let n = 0; n < 3; n++) writeTurn(`t${n}`, n === 0 ? null : `t${n - 1}`, n, "completed");
    const [staying, moving] = [openIt(), openIt()];
    await staying.prepare("t2");
    await moving.prepare("t1");
    const expected = { staying: folded("t2").tellings, moving: folded("t1").tellings };
    const moved = log.append("s", [
      { event: "session:head", component: "kernel", data: { turnId: "t1", reason: "x" } },
    ]);
    const refuse = (): never => {
      throw new Error("it was read again");
    };
    Object.assign(store, { turnPage: refuse, turnEvents: refuse, snapshot: refuse });
    expect(staying.state().tellings).toEqual(expected.staying);
    moving.take(moved);
    expect(moving.state().tellings).toEqual(expected.moving);
    expect(moving.state().head?.turnId).toBe("t1");
  });

  test("takes each event once", () => {
    writeTurn("t0", null, 0, "running");
    const session = openIt();
    const told = log.append("s", [
      { event: "turn:tell", component: "runtime", turn_id: "t0", data: { turnId: "t0", text: " More." } },
    ]);
    session.take(told);
    session.take(told);
    expect(session.present().head?.texts.at(-1)).toBe("Of t0, in pieces. More.");
  });
});
