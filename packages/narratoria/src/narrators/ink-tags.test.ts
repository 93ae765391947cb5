import { expect, test } from "vitest";
import { readChoiceTags, readEndingTag, readToolTag } from "./ink-tags.ts";

test("[N1.1] a tool tag names its tool, its input and when it may run", () => {
  expect(
    readToolTag('tool: light1 torch-lighter action=light_torch n=-2.5e3 code=007 on=true say="a = b" after=a,b async'),
  ).toEqual({
    kind: "tool",
    strayWords: [],
    tool: {
      toolId: "light1",
      mount: "torch-lighter",
      operation: null,
      input: { action: "light_torch", n: -2500, code: "007", on: true, say: "a = b" },
      after: ["a", "b"],
      optional: false,
      async: true,
    },
  });
});

test("[N1.1] words that ink brought belong to the value before them", () => {
  const reading = readToolTag("tool: a b who=Old Tom n=3 more optional");
  expect(reading).toMatchObject({
    tool: { input: { who: "Old Tom", n: "3 more" }, optional: true },
    strayWords: ["Tom", "more"],
  });
});

test("[S1.2] a key called __proto__ is an ordinary key", () => {
  const reading = readToolTag("tool: a b __proto__=evil");
  const input = reading?.kind === "tool" ? reading.tool.input : {};
  expect(Object.keys(input)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
});

test("other tags are not tools", () => {
  expect(readToolTag("toolbox: a b")).toBeNull();
  expect(readToolTag("tool")).toBeNull();
  expect(readToolTag("tool: a")).toEqual({ kind: "incomplete" });
});

test("[N1.1] choices have aliases and may be hidden; lines may name an ending", () => {
  expect(
    readChoiceTags(["alias: light torch, strike the flint", "Alias: burn | kindle", "hidden", "mood: grim"]),
  ).toEqual({
    aliases: ["light torch", "strike the flint", "burn", "kindle"],
    hidden: true,
    isAny: false,
    isExact: false,
  });
  expect(readChoiceTags([" Any "])).toMatchObject({ hidden: true, isAny: true, isExact: false });
  expect(readChoiceTags(["exact"])).toMatchObject({ hidden: false, isAny: false, isExact: true });
  expect(readEndingTag("ending: All: well")).toBe("All: well");
  expect(readEndingTag("mood: grim")).toBeNull();
});
