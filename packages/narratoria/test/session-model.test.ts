/**
 * Random play against a model that is a tree and some pointers: prompts, undo, takes, edits, forks, bookmarks, crashes
 * between turns and in the middle of them. After every step all that can be seen must agree with the model, and what
 * the host keeps of a session, its state and its view, must be what is loaded from the store.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { NarratorAnswer, NarratorQuestion } from "../src/runtime/seams/narrator.ts";
import { atOnce } from "../src/runtime/execution/slices.ts";
import { openLiveSession } from "../src/runtime/sessions/live-session.ts";
import { loadView } from "../src/runtime/sessions/load-view.ts";
import { createAncestry } from "../src/runtime/turns/ancestry.ts";
import { isRefusal } from "../src/runtime/seams/session-service.ts";
import type { SessionRow } from "../src/runtime/seams/store.ts";
import type { SessionView } from "../src/story/session-view.ts";
import { createFakeClock } from "./fake-clock.ts";
import { createScriptedHost, end, logLine, ok, patch, planOf, streamOf, type ScriptedHost } from "./scripted-host.ts";

interface ModelTurn {
  id: string;
  parent: string | null;
  prompt: string | null;
  total: number;
  /** How many turns the narrator remembers on this way. */
  told: number;
  status: "completed" | "interrupted";
}

interface ModelSession {
  id: string;
  head: string;
  title: string;
  ended: boolean;
  bookmarks: Record<string, string>;
  context: Record<string, number>;
  /** Own and inherited. */
  turns: string[];
  forkTurn: string | null;
}

type Step =
  | { do: "prompt" | "crashDuring"; by: number }
  | { do: "edit"; turn: number; by: number }
  | { do: "undo" | "reopen" | "end" | "resume" | "discard" }
  | { do: "retry" | "fork" | "moveHead"; turn: number }
  | { do: "bookmark"; turn: number; name: string | null }
  | { do: "rename"; title: string }
  | { do: "remember"; key: string; value: number };

const place = fc.nat(30);
const by = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("prompt" as const), by }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("crashDuring" as const), by }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("edit" as const), turn: place, by }) },
  { weight: 2, arbitrary: fc.constant({ do: "undo" as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("retry" as const, "fork" as const, "moveHead" as const), turn: place }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("reopen" as const, "resume" as const, "discard" as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("bookmark" as const),
      turn: place,
      name: fc.option(fc.string({ minLength: 1, maxLength: 9 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename" as const), title: fc.string({ maxLength: 9 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("remember" as const), key: fc.constantFrom("a", "b"), value: fc.nat(9) }),
  },
);
const steps = fc.array(fc.record({ session: fc.nat(5), step }), { minLength: 5, maxLength: 30 });

test("[K1.3] [S1.4] [Z1.4] random play agrees with a simple model, crashes or not", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const dir = mkdtempSync(join(tmpdir(), "narratoria-model-"));
      const play = createPlay(join(dir, "narratoria.db"));
      try {
        await play.begin();
        for (const { session, step: next } of script) {
          await play.take(session, next);
          await play.compare(session);
        }
        await play.compareAll();
        play.compareStreams();
      } finally {
        play.host().store.close();
        rmSync(dir, { recursive: true, force: true });
      }
    }),
    { numRuns: Number(process.env["NARRATORIA_MODEL_RUNS"] ?? 60) },
  );
}, 120_000);

test("[K1.3] a session that ended takes no more prompts, and ends once", async () => {
  const play = createPlay(":memory:");
  await play.begin();
  const session = play.sessions()[0] as ModelSession;
  await play.take(0, { do: "prompt", by: 2 });
  await play.take(0, { do: "end" });
  await play.take(0, { do: "end" });
  await play.take(0, { do: "prompt", by: 3 });
  await play.compareAll();
  const ends = streamOf(play.host().store, session.id).filter(({ event }) => event === "session:end");
  expect(ends.map(({ data }) => "reason" in data && data.reason)).toEqual(["over"]);
});

function narrate({ prompt, plans, context }: NarratorQuestion): NarratorAnswer {
  const amount = /^add (\d+)$/.exec(prompt ?? "")?.[1];
  if (amount !== undefined && plans.length === 0) return planOf({ skill: "counter", input: { by: Number(amount) } });
  const told = Number(context.memory ?? 0) + 1;
  const choices = [{ label: `total ${Number(context.state["total"] ?? 0)}` }];
  return end(`Told ${told}.`, { memory: told, choices });
}

function createPlay(file: string) {
  const model = { turns: new Map<string, ModelTurn>(), sessions: [] as ModelSession[] };
  let hangs = false;
  let host = open();

  function open(): ScriptedHost {
    return createScriptedHost({
      file,
      narrate,
      // Never moved: a host that is left behind must not go on by itself.
      clock: createFakeClock(),
      tools: {
        counter: ({ input, state }) => {
          const amount = Number(input["by"]);
          const lines = Array.from({ length: amount }, (_, n) =>
            logLine(`step ${n}`, n % 2 === 0 ? { progress: n / 10 } : {}),
          );
          const total = Number(state?.["total"] ?? 0) + amount;
          return { events: [...lines, patch({ total }), logLine("counted")], ...(hangs && { takesMs: 1e9 }) };
        },
      },
    });
  }

  async function begin(): Promise<void> {
    const id = await host.begin();
    const head = ((await host.sessions.view(id)) as SessionView).headTurnId as string;
    model.turns.set(head, { id: head, parent: null, prompt: null, total: 0, told: 1, status: "completed" });
    const begun = { id, head, title: "A story", ended: false, bookmarks: {}, context: {} };
    model.sessions.push({ ...begun, turns: [head], forkTurn: null });
  }

  const turn = (id: string): ModelTurn => model.turns.get(id) as ModelTurn;

  function grow(session: ModelSession, id: string, parent: string | null, prompt: string | null): void {
    const before = parent === null ? { total: 0, told: 0 } : turn(parent);
    const amount = Number(/^add (\d+)$/.exec(prompt ?? "")?.[1] ?? 0);
    const total = before.total + amount;
    model.turns.set(id, { id, parent, prompt, total, told: before.told + 1, status: "completed" });
    session.turns.push(id);
    session.head = id;
  }

  async function take(number: number, next: Step): Promise<void> {
    const session = model.sessions[number % model.sessions.length] as ModelSession;
    const picked =
      "turn" in next ? turn(session.turns[next.turn % session.turns.length] as string) : turn(session.head);
    const { sessions } = host;
    switch (next.do) {
      case "prompt":
      case "edit": {
        const parent = next.do === "edit" ? picked.id : session.head;
        const answer = await sessions.prompt(
          session.id,
          `add ${next.by}`,
          next.do === "edit" ? { parentTurnId: parent } : {},
        );
        if (session.ended) return expect(isRefusal(answer)).toBe(true);
        await sessions.idle(session.id);
        return grow(session, ok(answer).turnId, parent, `add ${next.by}`);
      }
      case "crashDuring": {
        hangs = true;
        const { turnId } = ok(await sessions.prompt(session.id, `add ${next.by}`));
        while (host.calls.at(-1) === undefined || !(await isCounted(session.id)))
          await new Promise((go) => setImmediate(go));
        const view = ok(await sessions.view(session.id));
        expect(withoutSeq(view)).toEqual(loaded(session.id, view));
        const told = turn(session.head).told;
        grow(session, turnId, session.head, `add ${next.by}`);
        Object.assign(turn(turnId), { status: "interrupted", told });
        return reopen();
      }
      case "retry": {
        const answer = ok(await sessions.retry(session.id, picked.id));
        await sessions.idle(session.id);
        return grow(session, answer.turnId, picked.parent, picked.prompt);
      }
      case "undo": {
        const answer = await sessions.undo(session.id);
        const { parent } = turn(session.head);
        expect(isRefusal(answer)).toBe(parent === null);
        if (parent !== null) session.head = parent;
        return;
      }
      case "moveHead":
        ok(await sessions.moveHead(session.id, picked.id));
        session.head = picked.id;
        return;
      case "fork": {
        const { sessionId } = ok(await sessions.fork(session.id, picked.id, `from ${session.title}`));
        const own = { id: sessionId, head: picked.id, title: `from ${session.title}`, ended: false, bookmarks: {} };
        const context = { ...session.context };
        model.sessions.push({ ...own, context, turns: wayTo(picked.id), forkTurn: picked.id });
        return;
      }
      case "resume": {
        const answer = await sessions.resume(session.id, picked.id);
        const isFree = picked.status === "interrupted" && !isBuiltOn(picked.id) && picked.id !== session.forkTurn;
        expect(isRefusal(answer)).toBe(!isFree);
        if (!isFree) return;
        await sessions.idle(session.id);
        // The counter had not finished, so it counted again.
        picked.total += Number(/\d+/.exec(picked.prompt ?? "")?.[0] ?? 0);
        Object.assign(picked, { status: "completed", told: picked.told + 1 });
        return;
      }
      case "discard": {
        const answer = await sessions.discard(session.id, picked.id);
        expect(isRefusal(answer)).toBe(picked.status !== "interrupted");
        if (!isRefusal(answer)) session.head = picked.parent as string;
        return;
      }
      case "bookmark":
        ok(await sessions.bookmark(session.id, picked.id, next.name));
        delete session.bookmarks[picked.id];
        if (next.name !== null) session.bookmarks[picked.id] = next.name;
        return;
      case "rename":
        if (!isRefusal(await sessions.rename(session.id, next.title))) session.title = next.title.trim();
        return;
      case "remember":
        ok(await sessions.setContext(session.id, next.key, next.value));
        session.context[next.key] = next.value;
        return;
      case "end":
        ok(await sessions.end(session.id, "over"));
        session.ended = true;
        return;
      case "reopen":
        return reopen();
    }
  }

  /** As after kill -9: the old host writes nothing any more. */
  function reopen(): void {
    host.store.close();
    hangs = false;
    host = open();
  }

  const isBuiltOn = (id: string): boolean =>
    [...model.turns.values()].some(({ parent }) => parent === id) ||
    model.sessions.some(({ forkTurn }) => forkTurn === id);

  async function isCounted(sessionId: string): Promise<boolean> {
    const { turns } = ok(await host.sessions.view(sessionId));
    return turns.at(-1)?.tools.at(-1)?.message === "counted";
  }

  function wayTo(id: string): string[] {
    const { parent } = turn(id);
    return parent === null ? [id] : [...wayTo(parent), id];
  }

  /** From the store, with as many turns as the host has in view. */
  const loaded = (sessionId: string, { turns }: SessionView): object => {
    const row = host.store.session(sessionId) as SessionRow;
    const view = atOnce(loadView(host.store, createAncestry(host.store), row, 1_000));
    return withoutSeq({ ...view, turns: view.turns.slice(-turns.length) });
  };

  /** The tellings of the turns before the head, as the model has them. */
  const toldBefore = (id: string): object[] =>
    wayTo(id)
      .slice(0, -1)
      .map(turn)
      .map(({ prompt, told, status }) => ({ prompt, narrative: status === "completed" ? `Told ${told}.` : "" }));

  function compareState(session: ModelSession): void {
    const row = host.store.session(session.id) as SessionRow;
    const cold = atOnce(openLiveSession(host.store, createAncestry(host.store), row)).state();
    const warm = host.turnSessions.get(session.id)?.state() ?? cold;
    expect(warm).toEqual(cold);
    const head = turn(session.head);
    expect(cold.head).toMatchObject({ turnId: head.id, prompt: head.prompt, status: head.status });
    expect(Object.fromEntries(cold.context)).toEqual(session.context);
    expect(cold.memory).toBe(head.told === 0 ? null : head.told);
    expect(cold.tellings).toEqual(toldBefore(session.head));
  }

  async function compareAll(): Promise<void> {
    for (const number of model.sessions.keys()) await compare(number);
    const ids = host.store.sessions().map(({ sessionId }) => sessionId);
    expect(ids.toSorted()).toEqual(model.sessions.map(({ id }) => id).toSorted());
  }

  async function compare(number: number): Promise<void> {
    const session = model.sessions[number % model.sessions.length] as ModelSession;
    compareState(session);
    const view = ok(await host.sessions.view(session.id));
    const head = turn(session.head);
    const way = wayTo(session.head);
    expect(view.headTurnId).toBe(session.head);
    expect(
      view.turns.map(({ turnId, parentTurnId, prompt, status, number }) => ({
        turnId,
        parentTurnId,
        prompt,
        status,
        number,
      })),
    ).toEqual(
      way.slice(-view.turns.length).map((id) => ({
        turnId: id,
        parentTurnId: turn(id).parent,
        prompt: turn(id).prompt,
        status: turn(id).status,
        number: way.indexOf(id),
      })),
    );
    expect(Number(view.state["total"] ?? 0)).toBe(head.total);
    expect(view.choices).toEqual(
      head.status === "completed" ? [{ id: expect.any(String), label: `total ${head.total}` }] : [],
    );
    expect(textOf(view)).toBe(head.status === "completed" ? `Told ${head.told}.` : "");
    expect([view.title, view.ended, view.bookmarks, view.turnCount]).toEqual([
      session.title,
      session.ended,
      session.bookmarks,
      way.length,
    ]);
    for (const { takes, turnId, parentTurnId } of view.turns) {
      expect(takes).toContain(turnId);
      expect(takes.toSorted()).toEqual(session.turns.filter((id) => turn(id).parent === parentTurnId).toSorted());
    }
    expect(
      ok(await host.sessions.tree(session.id))
        .map(({ turnId, isOnHeadPath }) => `${turnId} ${isOnHeadPath}`)
        .toSorted(),
    ).toEqual(session.turns.map((id) => `${id} ${way.includes(id)}`).toSorted());
    expect(view.turns.length).toBeGreaterThanOrEqual(Math.min(way.length, 12));
    expect(loaded(session.id, view)).toEqual(withoutSeq(view));
  }

  function compareStreams(): void {
    for (const session of model.sessions) {
      const events = streamOf(host.store, session.id);
      const numbers = events.map(({ seq }) => seq ?? 0);
      expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
      expect(events.map(({ event }) => event).filter((name) => name === "session:start")).toHaveLength(1);
      expect(events[0]?.event).toBe("session:start");
      expect(new Set(events.flatMap(({ turn_id }) => turn_id ?? []))).toEqual(new Set(session.turns));
      if (session.forkTurn === null) continue;
      const at = events.findIndex(({ event, session_id }) => event === "session:fork" && session_id === session.id);
      const inherited = new Set(wayTo(session.forkTurn));
      expect(
        events
          .slice(0, at)
          .every(
            ({ session_id, turn_id, event }) =>
              session_id !== session.id &&
              (turn_id ? inherited.has(turn_id) : /^(session:start|mount:|context:set)/.test(event)),
          ),
      ).toBe(true);
      expect(events.slice(at).every(({ session_id }) => session_id === session.id)).toBe(true);
      expect(new Set(events.slice(0, at).flatMap(({ turn_id }) => turn_id ?? []))).toEqual(inherited);
    }
  }
  return { begin, take, compare, compareAll, compareStreams, host: () => host, sessions: () => model.sessions };
}

function textOf(view: SessionView): string {
  return (view.turns.at(-1)?.passages ?? [])
    .flatMap((passage) => (passage.kind === "text" ? [passage.text] : []))
    .join("");
}

function withoutSeq(view: SessionView): object {
  return { ...view, seq: null };
}
