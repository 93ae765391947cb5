import pc from "picocolors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { growthOfCost } from "../../test/cost-growth.ts";
import { clean, cleanLine, renderProse, widthOf, wrap, cleanStyled } from "./terminal-text.ts";

const plain = pc.createColors(false);
const styled = pc.createColors(true);

describe("clean", () => {
  test.each([
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007text", "text"],
    ["\u001b]8;;http://example.org\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u009b2Jgone", "gone"],
    ["a\u0000b\u0008c\u007fd\u0085e", "abcde"],
    ["one\r\ntwo\rthree", "one\ntwothree"],
    ["\u202eevil\u2066", "evil"],
    ["naïve 漢字 👩‍🚀 “quotes”", "naïve 漢字 👩‍🚀 “quotes”"],
  ])("%j becomes %j", (text, cleaned) => {
    expect(clean(text)).toBe(cleaned);
  });

  test("nothing that steers a terminal is left, whatever came", () => {
    const pieces = fc.constantFrom(
      "\u001b",
      "[",
      "]",
      "31m",
      "\u009b",
      "\u0007",
      "\\",
      ";",
      "\r",
      "x",
      "\u001b[",
      "\u0090",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(pieces).map((all) => all.join("")),
        ),
        (text) => {
          // oxlint-disable-next-line no-control-regex -- the control characters are the point.
          expect(clean(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
        },
      ),
    );
  });

  test.each(["\u001b]", "\u001b[;;;", "\u001b;a", "[", "![", "**a ", "*a ", "__"])(
    "a text made to be slow to clean is not: %j",
    (piece) => {
      expect(growthOfCost((size) => void renderProse(piece.repeat(size), 80, plain), 1_000)).toBeLessThan(9);
    },
  );

  test("a line is cut to its width, in cells", () => {
    expect(cleanLine("one\n two   three", 9)).toBe("one two…");
    expect(cleanLine("漢字漢字漢字", 7)).toBe("漢字漢…");
    expect(widthOf(cleanLine("漢字漢字漢字", 6))).toBeLessThanOrEqual(6);
  });
});

describe("prose", () => {
  test("emphasis, headings, links and pictures", () => {
    expect(renderProse("**bold** and *it* and _it_", 80, styled)).toEqual([
      `${styled.bold("bold")} and ${styled.italic("it")} and ${styled.italic("it")}`,
    ]);
    expect(renderProse("## A *heading*", 80, plain)).toEqual(["A *heading*"]);
    expect(renderProse("See [the site](http://example.org) ![a map](asset:map)", 80, plain)).toEqual([
      "See the site (http://example.org) [a map]",
    ]);
  });

  test("stars and underscores that mean nothing stay", () => {
    const text = "2 * 3 * 4, snake_case_words, ** and __init__x, a*b*c";
    expect(renderProse(text, 80, plain)).toEqual([text]);
  });

  test("a style is not carried over the end of a line", () => {
    const lines = renderProse(`*${"word ".repeat(30).trim()}*`, 40, styled);
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line.endsWith("\u001b[23m")).toBe(true);
  });

  test("no line is wider than it may be, unless one word is", () => {
    const words = fc.array(fc.stringMatching(/^[a-z漢é]{1,12}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 26, max: 80 }), (list, columns) => {
        const lines = wrap(list.join(" "), columns, "  ");
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(lines.map((line) => line.trim()).join(" ")).toBe(list.join(" "));
      }),
    );
  });
});

test("[Z1.2] text of ours keeps the styles that we use, and no others: nothing can be hidden in it", () => {
  expect(cleanStyled("\u001b[1mx\u001b[8mhidden\u001b[40;30m\u001b[2J\u001b[22m")).toBe("\u001b[1mxhidden\u001b[22m");
});
