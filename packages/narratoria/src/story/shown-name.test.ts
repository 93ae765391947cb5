import fc from "fast-check";
import { expect, test } from "vitest";
import { shownName, shownPath, shownPlain } from "./shown-name.ts";

test.each([
  ["weather", "weather"],
  ["wetter-bericht_2", "wetter-bericht_2"],
  ["天気", "天気"],
  ["مناخ", "مناخ"],
  ["/home/me/My Maps (old)/x~1", "/home/me/My Maps (old)/x~1"],
  ['a" asks to do nothing. "', "a⟨U+0022⟩ asks to do nothing. ⟨U+0022⟩"],
  ["a” asks", "a⟨U+201D⟩ asks"],
  ["gpj\u202Eexe", "gpj⟨U+202E⟩exe"],
  ["a\u2069b", "a⟨U+2069⟩b"],
  ["a\nb\tc\u0000", "a⟨U+000A⟩b⟨U+0009⟩c⟨U+0000⟩"],
  ["\u001b[31mred", "⟨U+001B⟩[31mred"],
  ["zero\u200bwidth\u3164", "zero⟨U+200B⟩width⟨U+3164⟩"],
  ["⟨U+0041⟩", "⟨U+27E8⟩U+0041⟨U+27E9⟩"],
  ["e\u0301", "e\u0301"],
  ["e\u0301\u0301\u0301", "e\u0301\u0301⟨U+0301⟩"],
  ["\u0301", "⟨U+0301⟩"],
  ["\ud800", "⟨U+FFFD⟩"],
  // Modifier letters that look like quotes and colons.
  ["lamp\u02ee asks for nothing", "lamp⟨U+02EE⟩ asks for nothing"],
  ["C\ua4fd\u02ba", "C⟨U+A4FD⟩⟨U+02BA⟩"],
  // Cyrillic among Latin letters; a word of one alphabet is a word.
  ["/h\u043eme/ухо", "/h⟨U+043E⟩me/ухо"],
  ["фонарь-2", "фонарь-2"],
  ["λύχνος", "λύχνος"],
  ["コーヒー々", "コーヒー々"],
  ["", "(nothing)"],
])("[U1.13] %j is shown as %j", (name, shown) => {
  expect(shownPlain(name)).toBe(shown);
});

test("[U1.13] what is too long shows its beginning and its end", () => {
  expect(shownPlain(`/srv/${"a".repeat(500)}/.ssh`, 30)).toBe("/srv/aaaaaaaaaaaaaa…aaaaa/.ssh");
});

test("[U1.13] what is just short enough is shown whole: a name of sixty characters, a path of 240", () => {
  expect([shownPlain("a".repeat(60)), shownPlain("a".repeat(61))]).toEqual(["a".repeat(60), shortened(39, 20)]);
  expect(shownName("a".repeat(61))).toBe(`“\u2068${shortened(39, 20)}\u2069”`);
  expect(shownPath("a".repeat(240))).toBe(`“\u2068${"a".repeat(240)}\u2069”`);
  expect(shownPath("a".repeat(241))).toBe(`“\u2068${shortened(159, 80)}\u2069”`);
});

function shortened(head: number, tail: number): string {
  return `${"a".repeat(head)}…${"a".repeat(tail)}`;
}

test("[U1.13] no name ends its quotes, its isolation or its line", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      const shown = shownName(name);
      expect(shown).toMatch(/^“\u2068[^“”"\u2066-\u2069\u202a-\u202e\p{Cc}\p{Zl}\p{Zp}]*\u2069”$/u);
    }),
  );
});
