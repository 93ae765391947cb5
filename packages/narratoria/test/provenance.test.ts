/** Where a value came from, and what a turn's record says afterwards of what happened in it. */
import { expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { executionResultSchema } from "../src/story/execution-result.ts";
import { createScriptedHost, end, failure, logLine, ok, patch, planOf, type ScriptedHost } from "./scripted-host.ts";

/** A prompt is the patch that its tool makes. */
function open(): ScriptedHost {
  return createScriptedHost({
    state: { torch: { lit: false }, name: "Ada" },
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0
        ? end("x")
        : planOf({ skill: "lamp", toolId: "light1", input: { patch: JSON.parse(prompt) as JsonObject } }),
    tools: { lamp: ({ input }) => ({ events: [patch(input["patch"] as JsonObject)] }) },
  });
}

test("[S1.4] a value knows the event, attempt, tool, plan, turn and prompt that set it, and those before", async () => {
  const host = open();
  const session = await host.begin();
  const first = await host.play(session, '{"torch":{"lit":true}}');
  await host.play(session, '{"other":1}');
  const second = await host.play(session, '{"torch":{"lit":"brightly"}}');
  const why = ok(await host.sessions.why(session, "/torch/lit"));
  expect(why.value).toBe("brightly");
  expect(why.setBy).toMatchObject({
    turnId: second,
    toolId: "light1",
    skill: "lamp",
    attempt: 1,
    prompt: '{"torch":{"lit":"brightly"}}',
  });
  expect(why.before.map(({ turnId, value }) => [turnId, value])).toEqual([[first, true]]);
  const event = host.store.event(why.setBy?.eventId ?? "");
  expect([event?.event, event?.request_id]).toEqual(["tool:event", why.setBy?.planId]);
  ok(await host.sessions.undo(session));
  expect(ok(await host.sessions.why(session, "/torch/lit"))).toMatchObject({
    value: true,
    setBy: { turnId: first },
    before: [],
  });
});

test("[S1.4] what the story began with was set by nobody; what was removed, or replaced from above, was set by that", async () => {
  const host = open();
  const session = await host.begin();
  expect(ok(await host.sessions.why(session, "/name"))).toMatchObject({ value: "Ada", setBy: null, before: [] });
  const gone = await host.play(session, '{"torch":null}');
  expect(ok(await host.sessions.why(session, "/torch/lit"))).toMatchObject({ value: null, setBy: { turnId: gone } });
  const below = await host.play(session, '{"bag":{"rope":{"metres":3}}}');
  expect(ok(await host.sessions.why(session, "/bag"))).toMatchObject({
    value: { rope: { metres: 3 } },
    setBy: { turnId: below },
  });
  expect(ok(await host.sessions.why(session, "/nothing/here"))).toMatchObject({ value: null, setBy: null });
  expect(await host.sessions.why(session, "no pointer")).toMatchObject({ kind: "refused", code: "bad_request" });
});

test("[S1.4] [K1.3] a fork knows what its ancestors set, and not what they set afterwards", async () => {
  const host = open();
  const session = await host.begin();
  const before = await host.play(session, '{"n":1}');
  const fork = ok(await host.sessions.fork(session, before)).sessionId;
  await host.play(session, '{"n":2}');
  expect(ok(await host.sessions.why(fork, "/n"))).toMatchObject({ value: 1, setBy: { turnId: before }, before: [] });
});

test("[R1.1] a turn's record reads back the very results its narrator was told, log lines and times among them", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length === 2
        ? end("x")
        : planOf({ skill: "lamp", retryPolicy: { maxRetries: 1, backoffMs: 1 } }, "bell"),
    tools: {
      lamp: (_, attempt) => ({
        events: [logLine("a"), patch({ attempt }), logLine("b")],
        ...(attempt === 1 && { error: failure("tool_failure") }),
      }),
      bell: () => ({ error: failure("forbidden", "FORBIDDEN_WRITE") }),
    },
  });
  const session = await host.begin();
  const turnId = await host.play(session, "go");
  const told = host.questions.at(-1)?.plans[0];
  const rebuilt = ok(await host.sessions.turn(session, turnId)).plans[0]?.result;
  expect(executionResultSchema.safeParse(rebuilt).error).toBeUndefined();
  if (told?.kind !== "executed") throw new Error("the plan was not executed");
  expect(rebuilt).toEqual(told.result);
  expect(rebuilt?.toolResults[0]).toMatchObject({ eventCount: 6, eventsOmitted: 0, retryCount: 1 });
});
