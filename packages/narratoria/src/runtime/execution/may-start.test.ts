import { expect, test } from "vitest";
import type { NarratoriaEvent } from "../../story/event.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import { consentOf } from "../policy/consent.ts";
import { NOTHING_GRANTED } from "../policy/policy.ts";
import { systemClock } from "../seams/clock.ts";
import { UNGATED, type Consent, type Verdict } from "../seams/engine.ts";
import { createEventLog, writeEach } from "./event-log.ts";
import { askConsent, gateAttempt } from "./may-start.ts";

const ABOUT = { module: "oven", request_id: "p" };
const ATTEMPT = { toolId: "x", skill: "oven", attempt: 2, input: { n: 1 } };

test("[K1.5] each capability that a tool needs is decided in the log, and one denied refuses it", async () => {
  const events: NarratoriaEvent[] = [];
  const { append } = createEventLog(systemClock, [(event) => events.push(event)]);
  const log = writeEach(async (draft) => append(draft));
  const tool = { ...bareTool("/story/tools/oven", "oven"), needs: ["net.fetch", "exec.spawn"] };
  const policy = { ...NOTHING_GRANTED, grants: { oven: ["net.fetch"] } };
  const consent = consentOf({ storyDir: "/story", policy, level: "full", allowUnconfined: false });
  const refused = await askConsent({ toolId: "x", tool }, consent, ABOUT, log);
  const error = { category: "forbidden", message: expect.stringContaining("exec.spawn") as string };
  expect(refused).toMatchObject({ kind: "refused", error });
  expect(events).toMatchObject([
    { event: "policy:decision", component: "policy", status: "allow", data: { capability: "net.fetch" }, ...ABOUT },
    { event: "policy:decision", component: "policy", status: "deny", data: { capability: "exec.spawn" }, ...ABOUT },
  ]);
  const allowed = await askConsent({ toolId: "x", tool: { ...tool, needs: ["net.fetch"] } }, consent, ABOUT, log);
  expect(allowed).toMatchObject({ kind: "allowed" });
});

test.each<[what: string, verdict: Verdict, answer: unknown]>([
  ["no hook changes anything", UNGATED, { kind: "go", input: { n: 1 } }],
  ["a hook changes the input", { kind: "pass", changed: { input: { n: 2 } } }, { kind: "go", input: { n: 2 } }],
  ["what a hook makes of it is no input", { kind: "pass", changed: { input: 2 } }, { kind: "go", input: { n: 1 } }],
  [
    "a hook says no",
    { kind: "deny", reason: "not now" },
    { kind: "denied", error: { category: "forbidden", code: "DENIED", message: "not now" } },
  ],
])("[K1.4] %s", async (_, verdict, answer) => {
  const told: unknown[] = [];
  const gate: Consent["gate"] = ({ event, describe }) => {
    told.push([event, describe()]);
    return Promise.resolve(verdict);
  };
  expect(
    await gateAttempt(ATTEMPT, {
      decide: async () => ({ kind: "allowed", isStillSo: () => Promise.resolve(true) }),
      gate,
    }),
  ).toEqual(answer);
  expect(told).toEqual([["tool:start", ATTEMPT]]);
});
