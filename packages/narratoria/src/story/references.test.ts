import type { Json, JsonObject } from "@narratoria/tool/json";
import { describe, expect, test } from "vitest";
import { findReferenceProblems, resolveReferences } from "./references.ts";

describe("[P1.4] filling in references", () => {
  const outputs = new Map<string, Json>([
    ["scan", { doors: [{ name: "oak" }, { name: "iron" }], lit: false }],
    ["failed", null],
  ]);

  test("a whole output, a part of it, nested in objects and arrays", () => {
    const input = {
      all: { $from: "scan" },
      deep: { list: [1, { $from: "scan", path: "/doors/1/name" }, { $from: "scan", path: "" }] },
      none: { $from: "scan", path: null },
    };
    const whole = outputs.get("scan");
    expect(resolveReferences(input, outputs)).toEqual({ all: whole, deep: { list: [1, "iron", whole] }, none: whole });
  });

  test.each([
    [{ $from: "failed" }],
    [{ $from: "failed", path: "/a" }],
    [{ $from: "never ran" }],
    [{ $from: "scan", path: "/doors/7" }],
    [{ $from: "scan", path: "/toString" }],
    [{ $from: "scan", path: "doors" }],
    [{ $from: 7 }],
  ])("%j gives null", (reference) => {
    expect(resolveReferences({ value: reference }, outputs)).toEqual({ value: null });
  });

  test("false is a value, not a missing one", () => {
    expect(resolveReferences({ lit: { $from: "scan", path: "/lit" } }, outputs)).toEqual({ lit: false });
  });

  test("an object with any other key is data", () => {
    const input = { value: { $from: "scan", path: "/lit", note: "mine" }, path: "/lit" };
    expect(resolveReferences(input, outputs)).toBe(input);
  });

  test("a null beside a reference stays", () => {
    expect(resolveReferences({ none: null, lit: { $from: "scan", path: "/lit" } }, outputs)).toEqual({
      none: null,
      lit: false,
    });
  });

  test("several references in one place are all filled in", () => {
    const lit = { $from: "scan", path: "/lit" };
    expect(resolveReferences({ room: { lamp: lit, torch: lit, rope: [lit, 1, lit] } }, outputs)).toEqual({
      room: { lamp: false, torch: false, rope: [false, 1, false] },
    });
  });

  test("the input is not changed, and what holds no reference is shared", () => {
    const input = { a: { $from: "scan", path: "/lit" }, b: { c: [1] }, d: [{ $from: "failed" }, { e: 1 }] };
    const before = structuredClone(input);
    const resolved = resolveReferences(input, outputs);
    expect(input).toEqual(before);
    expect(resolved["b"]).toBe(input.b);
    expect(resolved["d"]).toEqual([null, { e: 1 }]);
    expect((resolved["d"] as Json[])[1]).toBe(input.d[1]);
  });

  test("a reference in an output stays what it is", () => {
    const hostile = new Map<string, Json>([
      ["a", { x: { $from: "secret" } }],
      ["secret", 42],
    ]);
    expect(resolveReferences({ v: { $from: "a" } }, hostile)).toEqual({ v: { x: { $from: "secret" } } });
  });

  test("an input that is a reference becomes the object it leads to, else {}", () => {
    expect(resolveReferences({ $from: "scan", path: "/doors/0" }, outputs)).toEqual({ name: "oak" });
    expect(resolveReferences({ $from: "failed" }, outputs)).toEqual({});
  });

  test("[S1.2] __proto__ is a key like any other", () => {
    const input = JSON.parse('{"__proto__":{"x":{"$from":"scan","path":"/lit"}}}') as JsonObject;
    const resolved = resolveReferences(input, outputs);
    expect(JSON.stringify(resolved)).toBe('{"__proto__":{"x":false}}');
    expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype);
    expect("x" in {}).toBe(false);
  });

  test("depth costs no stack", () => {
    let input: JsonObject = { value: { $from: "scan", path: "/lit" } };
    for (let i = 0; i < 50_000; i++) input = { next: input };
    let resolved = resolveReferences(input, outputs);
    while ("next" in resolved) resolved = resolved["next"] as JsonObject;
    expect(resolved).toEqual({ value: false });
  });
});

describe("[P1.4] checking references", () => {
  const problemsOf = (input: JsonObject) =>
    findReferenceProblems(input, new Set(["scan"]), ["tools", 3, "input"]).map(({ code, pointer }) => [code, pointer]);

  test("a reference to a dependency is fine", () => {
    expect(problemsOf({ a: { $from: "scan", path: "/x" }, b: [{ $from: "scan" }] })).toEqual([]);
  });

  test("a path may be null, as if it were left out", () => {
    expect(problemsOf({ a: { $from: "scan", path: null } })).toEqual([]);
  });

  test("a problem says what is wrong", () => {
    const input = { a: { $from: "other" }, b: { $from: 7 }, c: { $from: "scan", path: "x" } };
    expect(findReferenceProblems(input, new Set(["scan"]), []).map(({ message }) => message)).toEqual([
      '"other" is not among this tool\'s dependencies',
      "a reference names a tool by its toolId",
      "no JSON pointer",
    ]);
  });

  test("another tool, no tool at all, and a path that is no pointer are each named", () => {
    const input = { "a/b": [{ $from: "other" }], c: { $from: 7, path: "x" }, d: { $from: "scan", path: [] } };
    expect(problemsOf(input)).toEqual([
      ["BAD_REFERENCE", "/tools/3/input/a~1b/0/$from"],
      ["BAD_REFERENCE", "/tools/3/input/c/$from"],
      ["BAD_REFERENCE", "/tools/3/input/c/path"],
      ["BAD_REFERENCE", "/tools/3/input/d/path"],
    ]);
  });
});
