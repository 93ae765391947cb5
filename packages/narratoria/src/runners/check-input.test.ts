import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { storyProcesses } from "../runtime/mounts/story-processes.ts";
import { prepareInputCheck, type InputCheck } from "./check-input.ts";

afterAll(() => storyProcesses.close());

const NEVER = new AbortController().signal;
const check = (schema: JsonObject, input: JsonObject): Promise<InputCheck> =>
  prepareInputCheck(schema, "/a/story")(input, NEVER);

test("[A1.7] an input that fits is fine, another is wrong where it does not", async () => {
  const schema = { type: "object", required: ["x"] };
  expect(await check(schema, { x: 1 })).toEqual({ kind: "fine" });
  const wrong = { kind: "wrong", problems: [{ message: expect.stringContaining("x") as string }] };
  expect(await check(schema, {})).toMatchObject(wrong);
});

test.each([
  ["at the top", { $async: true, type: "object", required: ["x"] }],
  ["below", { properties: { a: { $async: true } } }],
  ["where it is referred to", { $ref: "#/$defs/a", $defs: { a: { $async: true, required: ["x"] } } }],
])("[Z1.7] a schema that would answer later, when nobody listens, is not used: %s", async (_, schema) => {
  expect(await check(schema, {})).toMatchObject({ kind: "unusable" });
});

describe("[Z1.7] a schema of others costs its story's process, never the host", () => {
  const TEXT = { text: `${"a".repeat(60)}!` };
  const doubled = (depth: number): JsonObject =>
    depth === 0 ? { type: "string" } : { anyOf: [doubled(depth - 1), doubled(depth - 1)] };

  test.each<[string, JsonObject, JsonObject]>([
    ["a pattern that backtracks for ever", { properties: { text: { pattern: "^(a+)+$" } } }, TEXT],
    ["alternatives that double at each step", { properties: { text: doubled(15) } }, { text: 1 }],
    ["pairs of a long list", { properties: { l: { uniqueItems: true } } }, { l: longList() }],
    ["more than anybody means", { description: "x".repeat(2 * 1024 * 1024) }, {}],
    ["a pattern that is none", { properties: { text: { pattern: "(" } } }, TEXT],
    ["a reference to nothing", { $ref: "#/nowhere" }, TEXT],
    ["a reference to itself", { $ref: "#" }, TEXT],
  ])("%s", async (_, schema, input) => {
    const before = process.cpuUsage();
    const found = await check(schema, input);
    const { user } = process.cpuUsage(before);
    expect(["unusable", "wrong", "fine"]).toContain(found.kind);
    // Of the host's own time: what waits costs nothing, however busy the machine is.
    expect(user).toBeLessThan(200_000);
    expect(await check({ required: ["x"] }, { x: 1 })).toEqual({ kind: "fine" });
  });

  test("what it says of an input has an end", async () => {
    const name = "n".repeat(500_000);
    const found = await check({ additionalProperties: false }, { [name]: 1 });
    expect(JSON.stringify(found).length).toBeLessThan(2_000);
    expect(found.kind).toBe("wrong");
  });
});

/** Of objects that differ in the last: each is compared with each. */
function longList(): JsonObject[] {
  return Array.from({ length: 20_000 }, (_, index) => ({ a: [1, 2, 3], index }));
}
