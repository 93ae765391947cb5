import { describe, expect, test } from "vitest";
import { splitIntents, withBorrowedVerb } from "./intents.ts";
import { matchPrompt, type MatchTarget } from "./match-prompt.ts";
import { makeLexicon } from "./words.ts";

const lexicon = makeLexicon({ torch: ["brand", "light"], "old keeper": ["warden"] });
const choices = [
  target("Light the torch", "strike the flint"),
  target("Examine the mysterious door", "look at the runes"),
  target("Open the iron gate"),
  target("Talk to the old keeper"),
  target("Don't wake the dog"),
  target("Go up"),
  target("Go down"),
];

describe("[N1.1] typed words find their choice", () => {
  test.each([
    ["Light the torch", 0],
    ["light torch", 0],
    ["I carefully kindle the brand", 0],
    ["torch", 0],
    ["strike flint", 0],
    ["I light the old torch with my very last dry match", 0],
    ["lihgt torhc", 0],
    ["examine door", 1],
    ["inspect the misterious door", 1],
    ["look at runes", 1],
    ["read the runes", 1],
    ["unlock the iron gate", 2],
    ["speak with the keeper", 3],
    ["talk to the warden", 3],
    ["don't wake the dog", 4],
    ["go up", 5],
    ["down", 6],
    ["ÉXAMINE — the door!!", 1],
  ])("%s", (prompt, index) => {
    expect(matchPrompt(prompt, choices, lexicon)).toMatchObject({ kind: "match", index });
  });
});

describe("[N1.4] and what fits nothing finds none", () => {
  test.each(["", "?!", "dance", "eat the torch", "don't light the torch", "wake the dog", "kick the iron gate", "the"])(
    "%s",
    (prompt) => {
      expect(matchPrompt(prompt, choices, lexicon)).toEqual({ kind: "none" });
    },
  );

  test("no choices, no match", () => {
    expect(matchPrompt("light the torch", [], lexicon)).toEqual({ kind: "none" });
  });
});

describe("[N1.1] exact words win", () => {
  test("a label before another's alias, and before synonyms", () => {
    const doors = [target("Unlock the door", "open the gate"), target("Open the gate"), target("Open the door")];
    expect(matchPrompt("open the gate", doors, lexicon)).toEqual({ kind: "match", index: 1, exact: true });
    expect(matchPrompt("I open the door", doors, lexicon)).toEqual({ kind: "match", index: 2, exact: true });
  });

  test("labels of signs only", () => {
    expect(matchPrompt("…!", [target("?"), target("…!")], lexicon)).toEqual({ kind: "match", index: 1, exact: true });
  });

  test("two that fit equally well are both named", () => {
    const keys = [target("Take the red key"), target("Leave"), target("Take the blue key")];
    expect(matchPrompt("take a key", keys, lexicon)).toEqual({ kind: "ambiguous", indexes: [0, 2] });
  });
});

describe("[N1.1] several wishes", () => {
  test.each([
    ["I light the torch and examine the door", ["I light the torch", "examine the door"]],
    ["light the torch, then go up; listen. Wait!", ["light the torch", "go up", "listen", "Wait"]],
    ["take the sandwich", ["take the sandwich"]],
    ["...", ["..."]],
  ])("%s", (prompt, parts) => {
    expect(splitIntents(prompt)).toEqual(parts);
  });

  test("a part without a verb borrows the one before", () => {
    expect(withBorrowedVerb("the rope", "take the torch", lexicon)).toBe("take the rope");
    expect(withBorrowedVerb("open the door", "take the torch", lexicon)).toBeNull();
  });
});

function target(label: string, ...aliases: string[]): MatchTarget {
  return { label, aliases };
}
