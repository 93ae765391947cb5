import fc from "fast-check";
import { expect, test } from "vitest";
import { splitForReading, wordsForLine } from "./log-words.ts";

test.each([
  ["plain", "plain"],
  ["\u001B[31mred\u001B[0m", "red"],
  ["two\nlines", "two ⏎ lines"],
  ["gnp.exe\u202Efdp", "gnp.exe⟨U+202E⟩fdp"],
  ["bell\u0007", "bell⟨U+7⟩"],
  ["", ""],
])("[U1.5] %j in a list of lines is %j", (message, shown) => {
  expect(wordsForLine(message)).toBe(shown);
});

const ENDS_INSIDE = /[\uD800-\uDBFF]$/;

test("[U1.5] the pieces of a line are the line, and none ends inside a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 2, max: 9 }), (text, length) => {
      const line = text.replaceAll("\n", "").replaceAll("\u001B", "");
      const pieces = splitForReading(line, length);
      expect(pieces.join("")).toBe(line);
      expect(pieces.filter((piece) => piece.length > length || ENDS_INSIDE.test(piece))).toEqual([]);
    }),
  );
});
