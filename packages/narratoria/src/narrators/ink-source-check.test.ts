import { describe, expect, test } from "vitest";
import { checkInkSources } from "./ink-source-check.ts";

const mounts = new Set(["torch-lighter", "dice"]);
const check = (...lines: string[]) => checkInkSources(new Map([["story.ink", lines.join("\n")]]), mounts);

describe("[N1.1] what ink would silently do wrong is found on the source", () => {
  test.each([
    ["# tool: a dice", "needs text on its own line"],
    ["  - # tool: a dice", "needs text on its own line"],
    ['Text # tool: a dice input={"x": 1}', "write key=value, not JSON"],
    ["Text # tool: a dice input={}", "write key=value, not JSON"],
    ["Text # tool: a dice url=http://example.org", "begins a comment"],
    ["Text # tool: a dice /* say=x", "begins a comment"],
    ["Text # tool: a dice join=a<>b", "is glue"],
    ["Text # tool: a dice path=a\\b", "is dropped, or joins the next line"],
    ["Text # tool: a dice path=a\\", "is dropped, or joins the next line"],
    ["Text # tool: a dice -> cellar", "joins the next text"],
    ["Text # tool: a dice colour=#fff", "begins another tag"],
    ['Text # tool: a dice say="one # two"', "begins another tag"],
    ["Text # tool: a dice say=two words", '"words" is neither'],
    ["Text # tool: a", "a tool tag is `# tool: ID MOUNT"],
    ["Text # tool: a lantern", "no tool named lantern is mounted (there are: dice, torch-lighter)"],
    ["Text # tool: a dice after=b", "no tool tag has the id b"],
    ["* [Open # alias: unlock | unbar]", "separate aliases with commas"],
    ["* [Open] # alias: unlock", "must stand inside its brackets"],
    ["+ [Open] The door opens. # hidden", "must stand inside its brackets"],
    ["EXTERNAL weather()", "EXTERNAL weather: only ok, state, summary, prompt are known"],
  ])("%s", (line, message) => {
    expect(check(line).map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    "Text # tool: a dice",
    "The sign says \\# tool: shed",
    "Text # tool: a dice path=a\\\\b colour=\\#fff",
    "* [Light] # tool: a dice",
    "Text # tool: a dice who={name} n={1 + 1}",
    "Text # tool: a {which}",
    "Text # tool: a dice # tool: b dice after=a",
    "{lit: Bright. # tool: a dice | Dark. # tool: b torch-lighter after=a}",
    "* [Open # alias: unlock, unbar # hidden]",
    "EXTERNAL ok(id)",
    "EXTERNAL weather()\n=== function weather()\n~ return 1",
    "// # tool: a nothing\n/* Text # tool: b nothing\n*/",
  ])("%s is right", (line) => {
    expect(check(line)).toEqual([]);
  });

  test("with file and line, all at once, also in included files and behind comments", () => {
    const texts = new Map([
      ["story.ink", "INCLUDE cave.ink\n/* a\ncomment */\nText # tool: a lantern\r\n# tool: b dice"],
      ["cave.ink", "\nText # tool: c dice after=zzz"],
    ]);
    expect(checkInkSources(texts, mounts).map(({ file, line }) => `${file}:${line}`)).toEqual([
      "story.ink:4",
      "story.ink:5",
      "cave.ink:2",
    ]);
  });
});
