/** Many sessions, many prompts, forks in the middle: turns stay serial, sessions stay apart, and a replay is exact. */
import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import type { NarratorAnswer, NarratorQuestion } from "../src/runtime/seams/narrator.ts";
import { isRefusal, type StreamedEvent } from "../src/runtime/seams/session-service.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import { createFakeClock } from "./fake-clock.ts";
import {
  createScriptedHost,
  end,
  failure,
  logLine,
  ok,
  patch,
  planOf,
  streamOf,
  type ScriptedHostOptions,
} from "./scripted-host.ts";

function narrate({ prompt, plans, context }: NarratorQuestion): NarratorAnswer {
  if (prompt === null || plans.length > 0) return end(JSON.stringify(context.state), { memory: prompt });
  return planOf({ skill: "counter", input: { text: prompt } });
}

const echoing: ScriptedHostOptions = {
  narrate,
  tools: {
    counter: ({ input, state }) => ({
      events: [
        logLine(`heard ${input["text"] as string}`),
        patch({ said: [...((state?.["said"] as string[] | undefined) ?? []), input["text"] as string] }),
      ],
    }),
  },
};

test("two hundred sessions at once all finish, and none sees another's state", async () => {
  const host = createScriptedHost(echoing);
  const ids = await Promise.all(Array.from({ length: 200 }, () => host.begin()));
  await Promise.all(
    ids.map(async (id, n) => {
      for (let turn = 0; turn < 3; turn++) await host.play(id, `s${n} t${turn}`);
    }),
  );
  for (const [n, id] of ids.entries()) {
    expect(ok(await host.sessions.view(id)).state).toEqual({ said: [`s${n} t0`, `s${n} t1`, `s${n} t2`] });
    expect(streamOf(host.store, id).every(({ session_id }) => session_id === id)).toBe(true);
  }
}, 60_000);

describe("prompts at the same time", () => {
  test("one is taken, the others are refused; every turn ends exactly once", async () => {
    const host = createScriptedHost(echoing);
    const session = await host.begin();
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, n) => host.sessions.prompt(session, `r${round} p${n}`)),
      );
      expect(answers.map(isRefusal)).toEqual([false, true, true, true, true]);
      // Stopped at a random moment, perhaps while it finishes.
      for (let wait = Math.random() * 8; wait > 0; wait--) await Promise.resolve();
      if (round % 2 === 1) await host.sessions.cancel(session);
      await host.sessions.idle(session);
    }
    const events = streamOf(host.store, session);
    const turns = events.filter(({ event }) => event === "turn:start").map(({ turn_id }) => turn_id);
    const ends = events.filter(({ event }) => event === "turn:end").map(({ turn_id }) => turn_id);
    expect(ends).toEqual(turns);
    expect(new Set(turns).size).toBe(6);
  });

  test("a fork while a turn runs sees whole turns only", async () => {
    const host = createScriptedHost({
      ...echoing,
      tools: { counter: () => ({ events: [patch({ half: true })], takesMs: 50 }) },
    });
    const session = await host.begin();
    const opening = ok(await host.sessions.view(session)).headTurnId ?? "";
    const { turnId } = ok(await host.sessions.prompt(session, "slowly"));
    while (ok(await host.sessions.view(session)).state["half"] !== true) await new Promise((go) => setImmediate(go));
    expect(isRefusal(await host.sessions.fork(session, turnId))).toBe(true);
    const fork = ok(await host.sessions.fork(session, opening)).sessionId;
    expect(ok(await host.sessions.view(fork)).state).toEqual({});
    expect(ok(await host.sessions.view(fork)).turns.map(({ status }) => status)).toEqual(["completed"]);
    const before = streamOf(host.store, fork);
    await host.sessions.idle(session);
    expect(streamOf(host.store, fork)).toEqual(before);
    expect(new Set(before.flatMap(({ turn_id }) => turn_id ?? []))).toEqual(new Set([opening]));
  });
});

describe("who follows a session", () => {
  test("hears every event once and in order, whenever it came and however slow it is", async () => {
    const host = createScriptedHost(echoing);
    const session = await host.begin();
    const heard = [0, 1, 2].map((): NarratoriaEvent[] => []);
    /** One that is slow is full after every event, and must not be handed another until it says so. */
    const follow = async (n: number, after: number, isSlow: boolean): Promise<void> => {
      const events = heard[n] ?? [];
      let isFull = false;
      const goOn = (): void => {
        isFull = false;
        subscription.resume();
      };
      const take = (event: StreamedEvent): boolean => {
        if (isFull) throw new Error("it was full");
        events.push(event.event());
        isFull = isSlow;
        if (isSlow) setImmediate(goOn);
        return !isSlow;
      };
      const subscription = ok(await host.sessions.follow(session, after, { take, closed: () => {} }));
    };
    await follow(0, 0, false);
    await follow(1, 0, true);
    await host.play(session, "one");
    await follow(2, 3, true);
    await host.play(session, "two");
    const all = streamOf(host.store, session);
    await vi.waitUntil(() => heard.every((events) => events.at(-1)?.seq === all.at(-1)?.seq), { timeout: 30_000 });
    expect(heard[0]).toEqual(all);
    expect(heard[1]).toEqual(all);
    expect(heard[2]).toEqual(all.filter(({ seq }) => (seq ?? 0) > 3));
  });

  test("can neither break nor hold up a turn", async () => {
    const host = createScriptedHost(echoing);
    const session = await host.begin();
    ok(
      await host.sessions.follow(session, 0, {
        take: () => {
          throw new Error("a broken pipe");
        },
        closed: () => {},
      }),
    );
    await host.play(session, "go");
    expect(ok(await host.sessions.view(session)).turns.at(-1)?.status).toBe("completed");
  });
});

test("[K1.3] fixed clock, ids and seeds give the same log byte for byte", async () => {
  async function playOnce(): Promise<string> {
    const clock = createFakeClock();
    let ids = 0;
    const host = createScriptedHost({
      clock,
      narrate: ({ prompt, plans }) =>
        prompt === null || plans.length > 2
          ? end("x", { choices: [{ label: "On" }] })
          : planOf("lamp", { skill: "alpha", retryPolicy: { maxRetries: 2, backoffMs: 50 } }),
      tools: {
        lamp: () => ({ events: [logLine("a", { progress: 0.5 }), patch({ lit: true })], takesMs: 7 }),
        alpha: (_, attempt) => (attempt % 2 === 0 ? {} : { error: failure("process_error", "EXIT_NONZERO") }),
      },
      newId: () => `id-${++ids}`,
      newSeed: () => 4,
    });
    const session = await clock.runUntil(host.begin());
    const turn = await clock.runUntil(host.play(session, "one"));
    ok(await host.sessions.undo(session));
    await clock.runUntil(host.play(session, "two"));
    const fork = ok(await host.sessions.fork(session, turn)).sessionId;
    await clock.runUntil(host.play(fork, "three"));
    ok(await host.sessions.end(fork, "over"));
    return [session, fork].map((id) => JSON.stringify(streamOf(host.store, id))).join("\n");
  }
  const first = await playOnce();
  expect(first.length).toBeGreaterThan(5_000);
  expect(
    createHash("sha256")
      .update(await playOnce())
      .digest("hex"),
  ).toBe(createHash("sha256").update(first).digest("hex"));
});
