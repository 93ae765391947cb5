import { describe, expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import { logged, numbered, patched, planOfTools, tell } from "../../test/told-events.ts";
import {
  COMPONENTS,
  EVENT_NAMES,
  eventSchema,
  lineEnvelopeSchema,
  patchOf,
  placed,
  type NarratoriaEvent,
} from "./event.ts";

test("the type and the schema are the same", () => {
  expectTypeOf<z.output<typeof eventSchema>>().toEqualTypeOf<NarratoriaEvent>();
});

test("[K1.1] the names are stable", () => {
  expect(EVENT_NAMES.join(" ")).toBe(
    "session:start session:fork session:end session:title session:head session:bookmark " +
      "mount:add mount:remove hook:register context:get context:set context:pre_compact context:post_compact " +
      "module:invoke policy:decision artifact:write artifact:read turn:start turn:tell turn:interrupt turn:resume turn:end " +
      "plan:create plan:end tool:wait tool:start tool:event tool:end ask:open ask:answer",
  );
  expect(COMPONENTS).toEqual(["kernel", "runtime", "narrator", "runner", "policy", "server"]);
});

describe("[K1.1] the envelope", () => {
  const event = { id: "e1", ts: 1700000000.25, event: "turn:resume", component: "runner", data: { turnId: "t" } };
  test.each([
    ["the five fields alone", event, true],
    ["null in every other field", { ...event, ...nulls() }, true],
    ["unknown fields", { ...event, colour: "red" }, true],
    ["unknown data", { ...event, data: { turnId: "t", colour: "red" } }, true],
    ["no data", { ...event, data: undefined }, false],
    ["no id", { ...event, id: undefined }, false],
    ["a time as text", { ...event, ts: "now" }, false],
    ["an unknown name", { ...event, event: "tool:explode" }, false],
    ["an unknown component", { ...event, component: "ghost" }, false],
    ["a fraction of a millisecond", { ...event, duration_ms: 1.5 }, false],
    ["data that is a list", { ...event, data: [] }, false],
    ["an error without a message", { ...event, error: { code: "internal" } }, false],
    ["an error", { ...event, error: { code: "internal", message: "it broke", details: {} } }, true],
  ])("%s", (_, value, valid) => {
    expect(eventSchema.safeParse(value).success).toBe(valid);
  });
});

const NEEDED: [name: string, needed: { data: object; [field: string]: unknown }][] = [
  ["session:start", { data: { plan: { goal: "g", inputs: {} } } }],
  ["session:fork", { data: { parent: "s" } }],
  ["session:end", { data: { reason: "r" } }],
  ["session:title", { data: { title: "t" } }],
  ["session:head", { data: { reason: "undo" } }],
  ["session:bookmark", { data: { turnId: "t" } }],
  ["mount:add", { data: { path: "p", module: "m" } }],
  ["mount:remove", { data: { path: "p" } }],
  ["hook:register", { data: { event: "e" } }],
  ["context:get", { data: { key: "k" } }],
  ["context:set", { data: { key: "k" } }],
  ["context:pre_compact", { data: { bytes: 0 } }],
  ["context:post_compact", { data: { delta_bytes: 0 } }],
  ["module:invoke", { module: "m", status: "ok", duration_ms: 0, data: { op: "o" } }],
  ["policy:decision", { status: "deny", data: { capability: "c" } }],
  ["artifact:write", { data: { uri: "u", bytes: 0 } }],
  ["artifact:read", { status: "ok", data: { uri: "u" } }],
  ["turn:start", { data: { turnId: "t", prompt: "" } }],
  ["turn:tell", { data: { turnId: "t", text: "It" } }],
  ["turn:interrupt", { data: { turnId: "t" } }],
  ["turn:resume", { data: { turnId: "t" } }],
  ["plan:create", { status: "accepted", data: { plan: planOfTools("x") } }],
  ["plan:create", { status: "rejected", data: { plan: {} } }],
  ["plan:end", { status: "ok", data: { success: true } }],
  ["tool:event", { data: { toolId: "t", event: { version: "0", type: "done", ok: true } } }],
  ["tool:wait", { status: "waiting", data: { toolId: "t" } }],
  ["tool:start", { status: "running", data: { toolId: "t", attempt: 1 } }],
  ["tool:end", { status: "completed", data: { toolId: "t", attempt: 1 } }],
  ["turn:end", { status: "completed", data: { turnId: "t" } }],
  ["ask:open", { data: { askId: "a", turnId: null, toolId: null, question: "?", reason: null, answers: [] } }],
  ["ask:answer", { data: { askId: "a" } }],
];

describe("[K1.2] what each event must carry", () => {
  test.each(NEEDED)("%s", (name, needed) => {
    const event = { id: "e", ts: 1, event: name, component: "runtime", ...needed };
    expect(eventSchema.safeParse(event).success).toBe(true);
    for (const field of Object.keys(needed)) {
      expect(wrongPlaces({ ...event, [field]: null })[0]).toMatch(field);
    }
    for (const key of Object.keys(needed.data)) {
      expect(wrongPlaces({ ...event, data: { ...needed.data, [key]: undefined } })).toEqual([`data.${key}`]);
    }
  });

  test.each(["module:invoke", "policy:decision", "tool:end", "turn:end", "plan:end", "plan:create"])(
    "%s has a closed set of statuses",
    (name) => {
      const about = { op: "o", capability: "c", toolId: "t", attempt: 1, turnId: "t", success: true, plan: {} };
      const needed = { module: "m", duration_ms: 0, data: about };
      const event = { id: "e", ts: 1, event: name, component: "policy", status: "maybe", ...needed };
      expect(wrongPlaces(event)).toEqual(["status"]);
    },
  );

  test("what is listed here is every event there is", () => {
    expect(new Set(NEEDED.map(([name]) => name))).toEqual(new Set(EVENT_NAMES));
  });
});

describe("the envelope of log lines", () => {
  const envelope = { id: "e1", ts: 1, event: "tool:event", component: "runner", data: { toolId: "x" } };
  const whole = { ...envelope, turn_id: "t0", span_id: "a1" };
  test.each<[what: string, value: object, valid: boolean]>([
    ["names its tool, its turn and its attempt", whole, true],
    ["of another event", { ...whole, event: "tool:end" }, false],
    ["without a tool", { ...whole, data: {} }, false],
    ["without a turn", { ...whole, turn_id: undefined }, false],
    ["with a turn that has no name", { ...whole, turn_id: "" }, false],
    ["without an attempt", { ...whole, span_id: null }, false],
    ["with an attempt that has no name", { ...whole, span_id: "" }, false],
  ])("%s", (_, value, valid) => {
    expect(lineEnvelopeSchema.safeParse(value).success).toBe(valid);
  });
});

test("a draft is told where it belongs; the writer's own is not changed", () => {
  const draft = { ...tell("Wind."), session_id: "elsewhere" };
  const copy = structuredClone(draft);
  expect(placed(draft, { session_id: "s2", turn_id: "t2" })).toEqual({ ...copy, session_id: "s2", turn_id: "t2" });
  expect(draft).toEqual(copy);
  expect(placed(draft, { session_id: "s2" })).toEqual({ ...copy, session_id: "s2" });
});

test("[S1.1] only a tool's patch changes the state", () => {
  const hook = { event: "hook:register", component: "kernel", data: { event: "state_patch" } } as const;
  expect(numbered([patched({ lit: true }), logged("lit"), tell("It is lit."), hook]).map(patchOf)).toEqual([
    { lit: true },
    null,
    null,
    null,
  ]);
});

function wrongPlaces(event: object): string[] {
  return eventSchema.safeParse(event).error?.issues.map(({ path }) => path.join(".")) ?? [];
}

function nulls(): object {
  const optional = ["module", "status", "duration_ms", "error", "session_id", "request_id", "span_id"];
  return Object.fromEntries([...optional, "seq", "turn_id"].map((field) => [field, null]));
}
