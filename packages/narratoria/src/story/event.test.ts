import { describe, expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import { COMPONENTS, EVENT_NAMES, eventSchema, type NarratoriaEvent } from "./event.ts";

test("the type and the schema are the same", () => {
  expectTypeOf<z.output<typeof eventSchema>>().toEqualTypeOf<NarratoriaEvent>();
});

test("[K1.1] the names are stable", () => {
  expect(EVENT_NAMES.join(" ")).toBe(
    "session:start session:fork session:end session:title session:head session:bookmark " +
      "mount:add mount:remove hook:register context:get context:set context:pre_compact context:post_compact " +
      "module:invoke policy:decision artifact:write artifact:read turn:start turn:interrupt turn:resume turn:end " +
      "plan:create plan:end tool:start tool:event tool:end ask:open ask:answer",
  );
  expect(COMPONENTS).toEqual(["kernel", "runtime", "narrator", "runner", "policy", "server"]);
});

describe("[K1.1] the envelope", () => {
  const event = { id: "e1", ts: 1700000000.25, event: "tool:event", component: "runner" };
  test.each([
    ["the four fields alone", event, true],
    ["null in every other field", { ...event, ...nulls() }, true],
    ["unknown fields", { ...event, colour: "red" }, true],
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

describe("[K1.2] what each event must carry", () => {
  test.each([
    ["session:start", { data: { plan: {} } }],
    ["session:fork", { data: { parent: "s" } }],
    ["session:end", { data: { reason: "r" } }],
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
    ["plan:create", { data: { plan: {} } }],
    ["tool:start", { status: "running", data: { toolId: "t", attempt: 1 } }],
    ["tool:end", { status: "completed", data: { toolId: "t", attempt: 1 } }],
    ["turn:end", { status: "completed", data: { turnId: "t" } }],
  ])("%s", (name, needed) => {
    const event = { id: "e", ts: 1, event: name, component: "runtime", ...needed };
    expect(eventSchema.safeParse(event).success).toBe(true);
    for (const field of Object.keys(needed)) {
      expect(wrongPlaces({ ...event, [field]: null })[0]).toMatch(field);
    }
    for (const key of Object.keys(needed.data)) {
      expect(wrongPlaces({ ...event, data: { ...needed.data, [key]: undefined } })).toEqual([`data.${key}`]);
    }
  });

  test.each(["module:invoke", "policy:decision"])("%s has a closed set of statuses", (name) => {
    const needed = { module: "m", duration_ms: 0, data: { op: "o", capability: "c" } };
    const event = { id: "e", ts: 1, event: name, component: "policy", status: "maybe", ...needed };
    expect(wrongPlaces(event)).toEqual(["status"]);
  });
});

function wrongPlaces(event: object): string[] {
  return eventSchema.safeParse(event).error?.issues.map(({ path }) => path.join(".")) ?? [];
}

function nulls(): object {
  const optional = ["module", "status", "duration_ms", "data", "error", "session_id", "request_id", "span_id"];
  return Object.fromEntries([...optional, "seq", "turn_id"].map((field) => [field, null]));
}
