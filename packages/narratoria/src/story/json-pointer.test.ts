import type { Json } from "@narratoria/tool/json";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPointer, lookUp, parsePointer } from "./json-pointer.ts";

describe("[P1.4] JSON pointers", () => {
  // The document and the pointers of RFC 6901, section 5.
  const document = JSON.parse(
    '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}',
  ) as Json;
  test.each([
    ["", document],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
  ])("%j leads where the RFC says", (pointer, value) => {
    expect(lookUp(document, parsePointer(pointer) ?? ["nowhere"])).toEqual(value);
  });

  test.each(["foo", "#/foo", "/a~", "/a~2", "~0"])("%j is no pointer", (text) => {
    expect(parsePointer(text)).toBeNull();
  });

  test("~01 means ~1, not a slash", () => {
    expect(parsePointer("/~01")).toEqual(["~1"]);
  });

  test.each([
    "/foo/2",
    "/foo/-",
    "/foo/01",
    "/foo/1e0",
    "/foo/length",
    "/foo/0/0",
    "/toString",
    "/__proto__",
    "/foo/-1",
  ])("%j leads nowhere", (pointer) => {
    expect(lookUp(document, parsePointer(pointer) ?? [])).toBeUndefined();
  });

  test("an index may have several digits", () => {
    expect(
      lookUp(
        Array.from({ length: 11 }, (_, index) => index),
        ["10"],
      ),
    ).toBe(10);
  });

  test("an own property called __proto__ is found", () => {
    expect(lookUp(JSON.parse('{"__proto__":{"a":1}}') as Json, ["__proto__", "a"])).toBe(1);
  });

  test("what was written is read back", () => {
    const token = fc.oneof(fc.string(), fc.constantFrom("~", "/", "~1", "~0", ""));
    fc.assert(
      fc.property(fc.array(token), (tokens) => {
        expect(parsePointer(formatPointer(tokens))).toEqual(tokens);
      }),
    );
  });
});
