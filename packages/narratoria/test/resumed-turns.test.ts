/** Turns whose host stopped, in the process of the test: what the next host finds, and what it goes on with. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock, type Clock } from "../src/runtime/seams/clock.ts";
import { isRefusal } from "../src/runtime/seams/session-service.ts";
import { createFakeClock } from "./fake-clock.ts";
import { createScriptedHost, end, eventsNamed, failure, ok, patch, planOf, streamOf } from "./scripted-host.ts";

let root = "";
let story = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "narratoria-resumed-"));
  story = join(root, "story");
  mkdirSync(join(story, "tools"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("[Z1.4] a new prompt goes on from an interrupted turn with its patches in force; then that turn cannot change", async () => {
  const file = join(root, "narratoria.db");
  let hangs = true;
  const open = (clock: Clock = systemClock) =>
    createScriptedHost({
      file,
      clock,
      narrate: ({ prompt, plans, context }) =>
        prompt === "go" && plans.length === 0 ? planOf("lamp", "bell") : end(JSON.stringify(context.state)),
      tools: {
        lamp: () => ({ events: [patch({ lit: true })] }),
        bell: () => ({ events: [patch({ rung: true })], ...(hangs && { takesMs: 1e8 }) }),
      },
    });
  // Its time stands still: a host that is left behind would find its turn too long two minutes later.
  const first = open(createFakeClock());
  const session = await first.begin();
  const { turnId } = ok(await first.sessions.prompt(session, "go"));
  const isRung = (): boolean => JSON.stringify(first.store.turnEvents(turnId, ["tool:event"])).includes("rung");
  while (!isRung()) await new Promise((go) => setImmediate(go));
  first.store.close();

  hangs = false;
  const second = open();
  expect(ok(await second.sessions.view(session)).turns.at(-1)?.status).toBe("interrupted");
  await second.play(session, "look");
  const view = ok(await second.sessions.view(session));
  expect(view.turns.at(-1)).toMatchObject({
    parentTurnId: turnId,
    passages: [{ kind: "text", text: '{"lit":true,"rung":true}' }],
  });
  ok(await second.sessions.moveHead(session, turnId));
  expect(isRefusal(await second.sessions.resume(session, turnId))).toBe(true);
  await second.sessions.close();
});

test("[Z1.4] [X1.6] a host that is closed interrupts its turns, and they can be resumed", async () => {
  const file = join(root, "narratoria.db");
  const open = (takesMs?: number) =>
    createScriptedHost({
      file,
      narrate: ({ prompt, plans }) => (prompt === "go" && plans.length === 0 ? planOf("lamp", "bell") : end("told")),
      tools: { bell: () => (takesMs === undefined ? {} : { takesMs }) },
    });
  const first = open(1e8);
  const session = await first.begin();
  const { turnId } = ok(await first.sessions.prompt(session, "go"));
  while (first.calls.length < 2) await new Promise((go) => setImmediate(go));
  await first.sessions.close();
  const second = open();
  expect(ok(await second.sessions.view(session)).turns.at(-1)?.status).toBe("interrupted");
  ok(await second.sessions.resume(session, turnId));
  await second.sessions.idle(session);
  expect(second.calls.map(({ tool }) => tool.tool)).toEqual(["bell"]);
  const ended = streamOf(second.store, session).filter(
    ({ event, turn_id }) => event === "turn:end" && turn_id === turnId,
  );
  expect(ended).toHaveLength(1);
  await second.sessions.close();
});

test("[Z1.4] [N1.2] a plan that can no longer be gone on with ends, and the narrator is asked for another", async () => {
  const manifest = join(story, "tools/gong/tool.json");
  mkdirSync(join(story, "tools/gong"));
  writeFileSync(join(story, "tools/gong/gong.sh"), "");
  const transport = { type: "stdio", command: ["sh", "gong.sh"] };
  writeFileSync(manifest, JSON.stringify({ name: "gong", kind: "tool", transport, capabilities: [] }));
  const open = (takesMs: number) =>
    createScriptedHost({
      file: join(root, "narratoria.db"),
      dir: story,
      narrate: ({ prompt, plans }) =>
        prompt === "go" && plans.length === 0
          ? planOf("lamp", { skill: "gong", toolPath: "tools/gong" }, "bell")
          : end(plans.length === 0 ? "told" : "told otherwise"),
      tools: { lamp: () => ({ events: [patch({ lit: true })] }), gong: () => ({ takesMs }) },
    });
  const first = open(1e8);
  const session = await first.begin();
  const { turnId } = ok(await first.sessions.prompt(session, "go"));
  while (first.calls.length < 2) await new Promise((go) => setImmediate(go));
  await first.sessions.close();
  writeFileSync(manifest, "{");
  const second = open(0);
  ok(await second.sessions.resume(session, turnId));
  expect(await second.sessions.turnEnded(session, turnId)).toBe("completed");
  expect(second.calls).toEqual([]);
  const { turn, plans } = ok(await second.sessions.turn(session, turnId));
  expect(turn).toMatchObject({ status: "completed", notice: null });
  expect(JSON.stringify(turn.passages)).toContain("told otherwise");
  const why = { state: "skipped", error: expect.stringContaining("tool.json") as string };
  const toolResults = [{ state: "completed" }, why, why];
  expect(plans).toMatchObject([{ result: { success: false, canReplan: true, toolResults } }]);
  expect(ok(await second.sessions.view(session)).state).toEqual({ lit: true });
  await second.sessions.close();
});

test("[Z1.4] [N1.2] a resumed turn knows what it had planned, told and changed before", async () => {
  const open = (takesMs: number) =>
    createScriptedHost({
      file: join(root, "narratoria.db"),
      state: { oil: 3 },
      narrate: async ({ prompt, plans, context }, _, stage) => {
        if (prompt !== "go") return end("Night.");
        if (plans.length === 0) await stage.tell("You try the lamp.");
        if (plans.length < 2) return planOf(plans.length === 0 ? "lamp" : "bell");
        return end(JSON.stringify([context.stateAtStart, context.state]));
      },
      tools: {
        lamp: () => ({ events: [patch({ oil: 2 })], error: failure("tool_failure") }),
        bell: () => ({ takesMs }),
      },
    });
  const first = open(1e8);
  const session = await first.begin();
  const { turnId } = ok(await first.sessions.prompt(session, "go"));
  while (!first.calls.some(({ tool }) => tool.tool === "bell")) await new Promise((go) => setImmediate(go));
  await first.sessions.close();

  const second = open(0);
  expect(eventsNamed(streamOf(second.store, session), "turn:interrupt")).toMatchObject([
    { turn_id: turnId, component: "kernel", data: { turnId } },
  ]);
  ok(await second.sessions.resume(session, turnId));
  expect(await second.sessions.turnEnded(session, turnId)).toBe("completed");
  const [question] = second.questions;
  expect(second.questions).toHaveLength(1);
  expect(question).toMatchObject({ prompt: "go", told: ["You try the lamp."], disabledSkills: ["lamp"] });
  expect(question?.plans.map((planned) => planned.kind === "executed" && planned.result.aggregatedState)).toEqual([
    { oil: 2 },
    { oil: 2 },
  ]);
  const { turn } = ok(await second.sessions.turn(session, turnId));
  expect(
    turn.passages.filter(({ kind }) => kind === "text").map((passage) => "text" in passage && passage.text),
  ).toEqual(["You try the lamp.", '[{"oil":3},{"oil":2}]']);
  await second.sessions.close();
});
