import { describe, expect, test } from "vitest";
import { makeLexicon } from "./lexicon.ts";
import { gatherCandidates, hear, matchPrompt, NO_SIGHT, type MatchTarget } from "./match.ts";
import { nearTargets } from "./nearness.ts";
import { readSight } from "./sight.ts";
import { splitWishes, withBorrowedVerb, withNamedThing } from "./wishes.ts";

const lexicon = makeLexicon({ torch: ["brand", "light"], "old keeper": ["warden"] });
const choices = [
  target("Light the torch", "strike the flint"),
  target("Examine the mysterious door", "look at the runes"),
  target("Open the iron gate"),
  target("Talk to the old keeper"),
  target("Don't wake the dog"),
  target("Go up"),
  target("Go down"),
  target("Leave", "go home"),
];

describe("[L1.1] typed words find their choice", () => {
  test.each([
    ["Light the torch", 0],
    ["light torch", 0],
    ["I carefully kindle the brand", 0],
    ["torch", 0],
    ["strike flint", 0],
    ["light the torch with the flint", 0],
    ["could you please light up my torch now", 0],
    ["I want to set the torch alight", 0],
    ["lihgt torhc", 0],
    ["examine door", 1],
    ["inspect the misterious door", 1],
    ["look at runes", 1],
    ["unlock the iron gate", 2],
    ["speak with the keeper", 3],
    ["talk to the warden", 3],
    ["don't wake the dog", 4],
    ["I will not wake the dog", 4],
    ["go up", 5],
    ["down", 6],
    ["leave", 7],
    ["ÉXAMINE — the door!!", 1],
  ])("%s", (prompt, index) => {
    expect(matchPrompt(prompt, choices, lexicon)).toMatchObject({ kind: "match", index });
  });
});

describe("[L1.1] [N1.4] a word that carries meaning and is not covered vetoes", () => {
  test.each([
    ..."eat the torch|don't light the torch|wake the dog|kick the iron gate|the|go|go north|go to sleep".split("|"),
    ..."leave the torch|leave the keeper|burn the torch|light the door|open the flask|light the torch in the keeper".split(
      "|",
    ),
    ..."what if I lit the torch|should I light the torch|they told me to light the torch|who am I|?!|dance|".split("|"),
    ...'he said "light the torch" once|climb the gate|close the iron gate|look under the runes|go up and'
      .split("|")
      .slice(0, 4),
  ])("%s", (prompt) => {
    expect(matchPrompt(prompt, choices, lexicon).kind).not.toBe("match");
  });

  test("no choices, no match", () => {
    expect(matchPrompt("light the torch", [], lexicon)).toEqual({ kind: "none" });
  });

  test("a letter more or less in a short word may be another word", () => {
    const coat = [target("Take the coat"), target("Row the boat")];
    for (const prompt of ["take the goat", "take the boot", "row the goat", "take the cat"]) {
      expect(matchPrompt(prompt, coat, lexicon)).toEqual({ kind: "none" });
    }
    expect(near("take the goat", coat)).toEqual([0]);
  });
});

describe("[N1.1] exact words win", () => {
  test("a label before another's alias, and before synonyms", () => {
    const doors = [target("Unlock the door", "open the gate"), target("Open the gate"), target("Open the door")];
    expect(matchPrompt("open the gate", doors, lexicon)).toEqual({ kind: "match", index: 1, exact: true });
    expect(matchPrompt("open the door", doors, lexicon)).toEqual({ kind: "match", index: 2, exact: true });
  });

  test("labels of signs only", () => {
    expect(matchPrompt("…!", [target("?"), target("…!")], lexicon)).toEqual({ kind: "match", index: 1, exact: true });
  });

  test("[L1.1] two that fit equally well are both named", () => {
    const keys = [target("Take the red key"), target("Leave"), target("Take the blue key")];
    expect(matchPrompt("take a key", keys, lexicon)).toEqual({ kind: "ambiguous", indexes: [0, 2] });
    expect(matchPrompt("take the blue key", keys, lexicon)).toMatchObject({ kind: "match", index: 2 });
    expect(matchPrompt("take the green key", keys, lexicon)).toEqual({ kind: "none" });
  });

  test("[L1.6] a choice that wants its very words gets no others", () => {
    const gate = [{ ...target("Open sesame"), isExact: true }];
    expect(matchPrompt("open sesame!", gate, lexicon)).toMatchObject({ index: 0 });
    for (const prompt of ["please open sesame", "sesame", "opne sesame"])
      expect(matchPrompt(prompt, gate, lexicon)).toEqual({ kind: "none" });
  });
});

test("[L1.1] an adjective is covered where the player has read it with its noun", () => {
  const sight = readSight(["An iron ladder goes up. A brass bell hangs there."], lexicon);
  const ladder = [target("Climb the ladder")];
  expect(matchPrompt("climb up the iron ladder", ladder, lexicon, sight)).toMatchObject({ index: 0 });
  expect(matchPrompt("climb the brass ladder", ladder, lexicon, sight)).toEqual({ kind: "none" });
  expect(matchPrompt("climb the iron ladder", ladder, lexicon)).toEqual({ kind: "none" });
});

describe("[L1.1] what is near is asked about", () => {
  test.each([
    ["take the torch", [0]],
    ["the old door with the carvings", [1]],
    ["what do the runes say?", [1]],
    ["open the rusty gate", [2]],
    ["close the iron gate", []],
    ["burn the torch", []],
    ["eat the keeper", []],
    ["light the beacon", [0]],
    ["don't light the torch", []],
    ["xyzzy", []],
  ])("%s", (prompt, expected) => {
    expect(near(prompt, choices)).toEqual(expected);
  });
});

test("[L1.1] a thing in sight is that thing; one that nothing names may be another name", () => {
  const sight = readSight(["There is a desk."], lexicon);
  const candidates = gatherCandidates(choices, lexicon, sight);
  expect(nearTargets(hear("light the desk", candidates), candidates)).toEqual([]);
});

describe("[L1.2] several wishes", () => {
  test.each([
    ["I light the torch and examine the door", ["I light the torch", "examine the door"]],
    ["light the torch, then go up; listen. Wait!", ["light the torch", "go up", "listen", "Wait"]],
    ["light the torch, and then go up", ["light the torch", "go up"]],
    ["take the sandwich", ["take the sandwich"]],
    ["ask the keeper, if he is cold", ["ask the keeper, if he is cold"]],
    ["...", ["..."]],
  ])("%s", (prompt, parts) => {
    expect(splitWishes(prompt, lexicon).map(({ text }) => text)).toEqual(parts);
  });

  test("a part without a verb borrows the one before", () => {
    expect(withBorrowedVerb("the rope", "take the torch", lexicon)).toBe("take the rope");
    expect(withBorrowedVerb("open the door", "take the torch", lexicon)).toBeNull();
  });

  test("a part with a pronoun borrows the thing before", () => {
    expect(withNamedThing("buy it", ["look at the silver dagger", "haggle"], lexicon)).toBe("buy silver dagger");
    expect(withNamedThing("buy the dagger", ["look at the lamp"], lexicon)).toBeNull();
  });
});

describe("[L1.5] languages", () => {
  test.each([
    ["die Fackel anzünden", 0],
    ["zuend bitte mal die Fackel an", 0],
    ["ich möchte die Fackel anmachen", 0],
    ["mach die Tuer auf", 1],
    ["ich öffne die Tür", 1],
    ["rede mit dem alten Wirt", 2],
    ["klettere die Leiter hoch", 3],
    ["lies das Buch vor", 4],
  ])("German: %s", (prompt, index) => {
    expect(matchPrompt(prompt, GERMAN_CHOICES, makeLexicon({}, "de-AT"))).toMatchObject({ kind: "match", index });
  });

  test.each([
    "mach die Fackel aus",
    "zünde die Fackel nicht an",
    "zünde die Tür an",
    "mach die Tür zu",
    "schließ die Tür ab",
    "nimm das Buch",
    "open the door",
  ])("German: %s is none of them", (prompt) => {
    expect(matchPrompt(prompt, GERMAN_CHOICES, makeLexicon({}, "de")).kind).toBe("none");
  });

  test.each([
    ["fr", "ouvrir la porte", 0],
    ["fr", "OUVRIR LA PROTE", 0],
    ["fr", "prendre le chandelier", 1],
    ["fr", "chandelier", null],
    ["fr", "open la porte", null],
    ["fr", "fermer la porte", null],
  ])("%s, of which nothing is known: %s", (tag, prompt, index) => {
    const french = [target("Ouvrir la porte", "pousser la porte"), target("Prendre le chandelier")];
    const match = matchPrompt(prompt, french, makeLexicon({}, tag));
    expect(match.kind === "match" ? match.index : null).toBe(index);
  });

  test("a script without blanks", () => {
    const japanese = [target("ドアを開ける"), target("松明に火をつける", "火をつける")];
    const known = makeLexicon({}, "ja");
    expect(matchPrompt("ドアを開ける。", japanese, known)).toMatchObject({ index: 0 });
    expect(matchPrompt("火をつける", japanese, known)).toMatchObject({ index: 1 });
    expect(matchPrompt("ドアを閉める", japanese, known).kind).not.toBe("match");
    expect(
      nearTargets(
        hear("ドアを閉める", gatherCandidates(japanese, known, NO_SIGHT)),
        gatherCandidates(japanese, known, NO_SIGHT),
      ),
    ).toEqual([0]);
  });
});

const GERMAN_CHOICES = [
  target("Zünde die Fackel an"),
  target("Öffne die Tür"),
  target("Sprich mit dem alten Wirt"),
  target("Steig die Leiter hinauf"),
  target("Lies das Buch"),
];

function near(prompt: string, targets: readonly MatchTarget[]): number[] {
  const candidates = gatherCandidates(targets, lexicon, NO_SIGHT);
  return nearTargets(hear(prompt, candidates), candidates);
}

function target(label: string, ...aliases: string[]): MatchTarget {
  return { label, aliases };
}
