import { expect, test } from "vitest";
import { prepareInputCheck } from "./check-input.ts";

test("[A1.7] an input that fits is fine, another is wrong where it does not", () => {
  const check = prepareInputCheck({ type: "object", required: ["x"] });
  expect(check({ x: 1 })).toEqual({ kind: "fine" });
  expect(check({})).toMatchObject({ kind: "wrong", problems: [{ message: expect.stringContaining("x") as string }] });
});

test.each([
  ["at the top", { $async: true, type: "object", required: ["x"] }],
  ["below", { properties: { a: { $async: true } } }],
  ["where it is referred to", { $ref: "#/$defs/a", $defs: { a: { $async: true, required: ["x"] } } }],
])("[Z1.7] a schema that would answer later, when nobody listens, is not used: %s", (_, schema) => {
  expect(prepareInputCheck(schema)({})).toMatchObject({ kind: "unusable" });
});
