/** The reader of the corpus: every kind of expectation, and every mistake with its file and line. */
import { expect, test } from "vitest";
import { readCorpus } from "./read-corpus.ts";

const read = (...lines: string[]): unknown =>
  readCorpus(lines.join("\n"), "a.corpus").map(({ expected }) => (expected.length === 1 ? expected[0] : expected));

test("[L1.1] a sentence has its moment, its line and what is right", () => {
  const text = "# A comment.\n\n@\nlook => answer: look\n@ Open the door > Go in\nopen: it => refuse\n";
  const expected = [{ kind: "answer", command: "look", about: null }];
  expect(readCorpus(text, "a.corpus")).toEqual([
    { file: "a.corpus", line: 4, path: [], sentence: "look", expected },
    {
      file: "a.corpus",
      line: 6,
      path: ["Open the door", "Go in"],
      sentence: "open: it",
      expected: [{ kind: "refuse" }],
    },
  ]);
});

test.each([
  ["do: Write: filled", { kind: "do", choices: ["Write: filled"] }],
  ["do: A + B", { kind: "do", choices: ["A", "B"] }],
  ["ask: A, B", { kind: "ask", choices: ["A", "B"] }],
  ['ask: "Write: filled, no one", B', { kind: "ask", choices: ["Write: filled, no one", "B"] }],
  ["answer: examine brass lamp", { kind: "answer", command: "examine", about: "brass lamp" }],
  ["part: A + B | the rest", { kind: "part", choices: ["A", "B"], notFollowed: "the rest" }],
  [
    "do|ask: A",
    [
      { kind: "do", choices: ["A"] },
      { kind: "ask", choices: ["A"] },
    ],
  ],
  ["ask: Live or die or refuse", [{ kind: "ask", choices: ["Live or die"] }, { kind: "refuse" }]],
])("[L1.1] %s is read", (label, expected) => {
  expect(read("@", `x => ${label}`)).toEqual([expected]);
});

test.each([
  [["x => refuse"], "a.corpus:1: a sentence needs a moment"],
  [["@", "x"], "a.corpus:2: write `sentence => expectation`"],
  [["@", "=> refuse"], "a.corpus:2: write `sentence => expectation`"],
  [["@", "x => y => refuse"], "a.corpus:2: write `sentence => expectation`"],
  [["@ A >  > B", "x => refuse"], "a.corpus:1: a choice is missing"],
  [["@", "x => perhaps"], 'a.corpus:2: no expectation is called "perhaps"'],
  [["@", "x => do:"], "a.corpus:2: do: what?"],
  [["@", "x => do: A +"], "a.corpus:2: a choice is missing"],
  [["@", "x => ask: A,, B"], "a.corpus:2: a choice is missing"],
  [["@", "x => refuse: A"], "a.corpus:2: refuse stands alone"],
  [["@", "x => answer: sing"], 'a.corpus:2: no standing command is called "sing"'],
  [["@", "x => answer: examine"], "a.corpus:2: examine, and nothing else"],
  [["@", "x => answer: look lamp"], "a.corpus:2: examine, and nothing else"],
  [["@", "x => part: A"], "a.corpus:2: write `part: A | words not followed`"],
  [["@", "x => refuse", "X => do: A"], 'a.corpus:3: "X" stands at this moment already, in line 2'],
])("[L1.1] a mistake is named: %s", (lines, message) => {
  expect(() => read(...lines)).toThrow(message);
});

test("[L1.1] all mistakes are named at once", () => {
  expect(() => read("x => refuse", "@", "y => perhaps")).toThrow(/a\.corpus:1: .*\na\.corpus:3: /s);
});
