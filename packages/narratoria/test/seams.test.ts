/** What the seams let others do: a narrator tells while it thinks and knows its tools, a runner asks the player. */
import { expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { KEEPS_NOTHING, offerOfManifest, type MountRunner } from "../src/runners/mount-runner.ts";
import type { NarratorAnswer, NarratorTool } from "../src/runtime/seams/narrator.ts";
import type { AttemptReport } from "../src/runtime/seams/tool-runner.ts";
import { atOnce } from "../src/runtime/execution/slices.ts";
import { loadState } from "../src/runtime/sessions/load-state.ts";
import { createAncestry } from "../src/runtime/turns/ancestry.ts";
import { createFakeClock } from "./fake-clock.ts";
import { createScriptedHost, eventsNamed, ok, streamOf, type ScriptedHost } from "./scripted-host.ts";

const end: Extract<NarratorAnswer, { kind: "end" }> = { kind: "end", narrative: "", choices: [], memory: null };
const completed: AttemptReport = {
  outcome: { kind: "completed", summary: null },
  exitCode: 0,
  signal: null,
  stderrTail: "",
  warnings: [],
  eventsAfterDone: 0,
  sandbox: "none",
  trace: {},
};

test("[G1.1] a narrator tells piece by piece; what was told is one text, kept, and told to the next turn", async () => {
  const host = createScriptedHost({
    narrate: async ({ prompt }, _, stage) => {
      if (prompt === "go") for (const piece of ["The door ", "opens", "."]) await stage.tell(piece);
      return { ...end, narrative: prompt === "go" ? "You step in." : "Night." };
    },
  });
  const session = await host.begin();
  const turnId = await host.play(session, "go");
  expect(eventsNamed(streamOf(host.store, session), "turn:tell").map(({ data }) => data.text)).toEqual([
    "The door ",
    "opens",
    ".",
  ]);
  const view = ok(await host.sessions.view(session));
  expect(view.turns.at(-1)?.passages).toEqual([
    { kind: "text", text: "The door opens.", isTold: true },
    { kind: "text", text: "You step in." },
  ]);
  expect(ok(await host.sessions.turn(session, turnId)).turn.passages).toEqual(view.turns.at(-1)?.passages);
  await host.play(session, "look");
  expect(host.questions.at(-1)?.context.history.at(-1)).toEqual({
    prompt: "go",
    narrative: "The door opens.\n\nYou step in.",
  });
  expect(coldTexts(host, session)).toEqual(["Night."]);
  await host.sessions.close();
});

test("[G1.1] what was told before the player stopped the turn is kept", async () => {
  let told = (): void => {};
  const hasTold = new Promise<void>((settle) => (told = settle));
  const host = createScriptedHost({
    narrate: async ({ prompt }, signal, stage) => {
      if (prompt !== "go") return end;
      await stage.tell("It begins");
      told();
      await new Promise((settle) => signal.addEventListener("abort", settle));
      await stage.tell(" and never ends");
      return end;
    },
  });
  const session = await host.begin();
  ok(await host.sessions.prompt(session, "go"));
  await hasTold;
  const view = ok(await host.sessions.cancel(session));
  expect(view.turns.at(-1)).toMatchObject({ status: "cancelled", passages: [{ kind: "text", text: "It begins" }] });
  await host.sessions.close();
});

test("[G1.1] what a narrator tells after its answer is not heard: the turn is over", async () => {
  let tellLater = (): Promise<void> => Promise.resolve();
  const host = createScriptedHost({
    narrate: (_, __, stage) => {
      tellLater = () => stage.tell("And another thing.");
      return Promise.resolve({ ...end, narrative: "Night." });
    },
  });
  const session = await host.begin();
  await host.play(session, "go");
  await tellLater();
  expect(ok(await host.sessions.view(session)).turns.at(-1)?.passages).toEqual([{ kind: "text", text: "Night." }]);
  await host.sessions.close();
});

test("[A1.7] a narrator is told its tools with what they take, read and change", async () => {
  const inputs = { type: "object", properties: { depth: { type: "number" } } };
  const manifest = {
    kind: "tool",
    protocol: "narratoria/0",
    transport: { type: "stdio" },
    reads: ["/well"],
    writes: ["/well/depth"],
    inputs,
    description: "measures",
  } as JsonObject;
  let tools: readonly NarratorTool[] = [];
  const host = createScriptedHost({
    narrate: async (_, __, stage) => {
      tools = await stage.tools();
      return end;
    },
    manifests: { counter: { manifest: manifest as never } },
    mountRunner: { run: () => Promise.resolve(completed), offers: offerOfManifest, ...KEEPS_NOTHING },
  });
  await host.begin();
  expect(tools.find(({ name }) => name === "counter")).toEqual({
    name: "counter",
    operation: "run",
    description: "measures",
    inputs,
    reads: ["/well"],
    writes: ["/well/depth"],
  });
  expect(tools.find(({ name }) => name === "lamp")).toMatchObject({ inputs: null, reads: null, writes: null });
  await host.sessions.close();
});

test("[M1.3] a mount offers two tools, found out when first needed; a plan uses both by their operations", async () => {
  const asked: string[] = [];
  const made: { operation: string; input: JsonObject }[] = [];
  const inputs = { type: "object", properties: { depth: { type: "number" } } };
  const well: MountRunner = {
    run: async ({ operation, input }) => {
      made.push({ operation, input });
      return { ...completed, output: `${operation} done` };
    },
    offers: async ({ tool }) => {
      asked.push(tool.skill);
      await new Promise((answer) => setImmediate(answer));
      if (tool.skill !== "bell") return [];
      return [
        { operation: "draw", description: "draws water", inputs },
        { operation: "listen", description: null, inputs: null },
      ];
    },
    ...KEEPS_NOTHING,
  };
  const told: (readonly NarratorTool[])[] = [];
  const host = createScriptedHost({
    narrate: async ({ plans }, _, stage) => {
      if (plans.length > 0) return end;
      const tools = await stage.tools();
      told.push(tools);
      const steps = tools.map(({ name, operation }) => ({ toolId: operation, toolPath: name, operation }));
      return { kind: "plan", plan: { tools: steps.map((step) => ({ ...step, input: { depth: 7 } })) } };
    },
    mountRunner: well,
  });
  const session = await host.begin();
  const turnId = await host.play(session, "again");
  const all = { reads: null, writes: null };
  expect(told[0]).toEqual([
    { name: "bell", operation: "draw", description: "draws water", inputs, ...all },
    { name: "bell", operation: "listen", description: null, inputs: null, ...all },
  ]);
  expect(told[1]).toEqual(told[0]);
  // Who had something to offer is not asked again.
  expect(asked.filter((skill) => skill === "bell")).toHaveLength(1);
  const both = ["draw", "listen"].map((operation) => ({ operation, input: { depth: 7 } }));
  expect(made).toEqual([...both, ...both]);
  const [planned] = ok(await host.sessions.turn(session, turnId)).plans;
  expect(planned?.result?.toolResults).toMatchObject([
    { toolId: "draw", skill: "bell", output: "draw done" },
    { toolId: "listen", skill: "bell", output: "listen done" },
  ]);
  await host.sessions.close();
});

test("[K1.9] a runner asks the player while the clocks of attempt, plan and turn stand still", async () => {
  const clock = createFakeClock();
  let expired = false;
  const asks: MountRunner["run"] = async (call, port) => {
    const limit = port.clock.after(call.timeoutMs, () => (expired = true));
    const answers = [{ value: "yes", label: "Yes" }];
    const answer = await port.ask({ toolId: "ask", question: "Shall I?", reason: null, answers });
    limit.cancel();
    return { ...completed, output: answer };
  };
  const host = createScriptedHost({
    clock,
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0
        ? end
        : { kind: "plan", plan: { tools: [{ toolId: "ask", toolPath: "lamp", timeoutMs: 10 }] } },
    mountRunner: { run: asks, offers: offerOfManifest, ...KEEPS_NOTHING },
  });
  const session = await clock.runUntil(host.begin());
  const { turnId } = ok(await host.sessions.prompt(session, "go"));
  const opened = await until(async () => ok(await host.sessions.view(session)).asks[0]);
  expect(opened).toMatchObject({ question: "Shall I?", turnId });
  await clock.runUntil(clock.sleep(10 * 60_000, new AbortController().signal));
  ok(await host.sessions.answer(session, opened.askId, "yes"));
  expect(await clock.runUntil(host.sessions.turnEnded(session, turnId))).toBe("completed");
  expect(expired).toBe(false);
  const [planned] = ok(await host.sessions.turn(session, turnId)).plans;
  expect(planned?.result).toMatchObject({
    success: true,
    toolResults: [{ state: "completed", output: "yes", executionTime: 0 }],
  });
  const [ended] = eventsNamed(streamOf(host.store, session), "tool:end");
  expect(ended).toMatchObject({ duration_ms: 0, data: { elapsed_ms: 0 } });
  expect(eventsNamed(streamOf(host.store, session), "plan:end")).toMatchObject([{ duration_ms: 0 }]);
  await host.sessions.close();
});

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((go) => setImmediate(go));
  }
}

/** What a host that opens the session anew knows of its last turn. */
function coldTexts(host: ScriptedHost, sessionId: string): readonly string[] | undefined {
  const session = host.store.session(sessionId);
  return session === null ? undefined : atOnce(loadState(host.store, createAncestry(host.store), session)).head?.texts;
}
