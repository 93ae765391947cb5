/** Free text for authors: `EXTERNAL prompt()`, `# any`, `# exact`, and what was typed as a tool's input. */
import { afterEach, describe, expect, test } from "vitest";
import { NARRATOR_KINDS } from "../src/narrators/narrator-kinds.ts";
import { loadStory } from "../src/runtime/mounts/load-story.ts";
import type { Narrator } from "../src/runtime/seams/narrator.ts";
import { makeStoryFolder, startSession, type Session } from "./narrator-session.ts";

const GATE = `
EXTERNAL prompt()
EXTERNAL ok(id)
VAR name = ""
"Who goes there?"
-> gate
== gate
+ [Walk away]
  You walk away. -> gate
+ [Say nothing # alias: keep quiet]
  You said "{prompt()}". -> gate
* [Open sesame # exact # hidden]
  The gate opens. # ending: Inside
  -> END
+ [Say your name # any]
  ~ name = prompt()
  You say "{name}". # tool: ask1 oracle question="{prompt()}" times=1 optional
  "Be welcome, {name}."
  -> gate
`;

const opened: Narrator[] = [];
afterEach(async () => {
  for (const narrator of opened.splice(0)) await narrator.close();
});

async function begin(ink = GATE): Promise<Session> {
  const loading = await loadStory(makeStoryFolder({ "story.ink": ink }, ["oracle"]), NARRATOR_KINDS);
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  opened.push(loading.narrator);
  const session = startSession(loading.narrator);
  await session.turn(null);
  return session;
}

describe("[L1.6] a choice for whatever is typed", () => {
  test("gets the words, hands them to a tool, and has no button", async () => {
    const session = await begin();
    const { text, plans, choices } = await session.turn("My name is Anna, and I come from the sea");
    expect(plans[0]?.tools).toMatchObject([
      { toolPath: "oracle", input: { question: "My name is Anna, and I come from the sea", times: 1 } },
    ]);
    expect(text).toContain('"Be welcome, My name is Anna, and I come from the sea."');
    expect(choices).toEqual(["Walk away", "Say nothing"]);
  });

  test.each([
    ["of several lines and blanks", " one\n\n two ", "one two"],
    ["with the signs of a tag", 'a "b" c=d #e {f} | g after=x', 'a "b" c=d #e {f} | g after=x'],
    ["with the words of a tag", "optional async optionally", "optional async optionally"],
    ["of ink's own signs", "-> END <> // no ~ x", "-> END <> // no ~ x"],
  ])("what is typed stays what was typed: %s", async (_, typed, expected) => {
    const session = await begin();
    const { text, plans } = await session.turn(typed);
    expect(plans[0]?.tools).toMatchObject([{ input: { question: expected, times: 1 }, dependencies: [] }]);
    expect(Object.keys(plans[0]?.tools[0]?.input ?? {})).toEqual(["question", "times"]);
    expect(text).toContain(`"Be welcome, ${expected}."`);
  });

  test("in a tag without quotes too it never becomes a part of the tag", async () => {
    const session = await begin(GATE.replace('question="{prompt()}"', "question={prompt()}"));
    const { plans } = await session.turn("optional after=x operation=y");
    expect(plans[0]?.tools).toMatchObject([{ input: { question: "optional after=x operation=y" }, operation: "run" }]);
  });

  test("other choices come first, and nothing was typed where a button was pressed", async () => {
    const session = await begin();
    expect((await session.turn("walk away")).text).toBe("You walk away.");
    const { text, offered } = await session.turn("keep quiet");
    expect(text).toBe('You said "keep quiet".');
    expect((await session.turn("Say nothing", offered[1]?.id)).text).toBe('You said "".');
  });
});

describe("[L1.6] a choice that wants its very words", () => {
  test("is taken by them, whatever their case, and by nothing near", async () => {
    const session = await begin();
    for (const near of ["open seasme", "open", "sesame", "unlock sesame", "please open sesame"]) {
      expect((await session.turn(near)).ending).toBeUndefined();
    }
    expect((await session.turn("OPEN, sesame!")).ending).toBe("Inside");
  });
});

test("[W1.1] these tags of a choice stand inside its brackets", async () => {
  const ink = GATE.replace("[Open sesame # exact # hidden]", "[Open sesame] # exact");
  const loading = await loadStory(makeStoryFolder({ "story.ink": ink }, ["oracle"]), NARRATOR_KINDS);
  expect(loading).toMatchObject({
    kind: "invalid",
    problems: [{ line: 12, message: expect.stringContaining("exact") }],
  });
});
