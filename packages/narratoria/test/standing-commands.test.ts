/** What every player tries works in every story, in its voice and in its language, and changes nothing. */
import { afterEach, describe, expect, test } from "vitest";
import { NARRATOR_KINDS } from "../src/narrators/narrator-kinds.ts";
import { loadStory } from "../src/runtime/mounts/load-story.ts";
import type { Narrator } from "../src/runtime/seams/narrator.ts";
import { UNDO_CHOICE } from "../src/story/choices.ts";
import { makeStoryFolder, startSession, type Session } from "./narrator-session.ts";

const ATTIC = `
You are Ada, and this is your aunt's attic. A trunk stands under the window; the trunk has three locks. # scene # hint: Count the locks.
-> attic
== attic
* [Open the trunk] It opens. A moth flies out. -> attic
+ [Open the window # alias: let in some air] Air. -> attic
+ [Go down the ladder] -> kitchen
== kitchen
The kitchen. Something simmers. # scene
+ [Climb back up] -> attic
+ [Stir the pot] Round and round. -> kitchen
`;
const STATE = { inventory: { lamp: { name: "an oil lamp", lit: true }, coins: 3 } };

const opened: Narrator[] = [];
afterEach(async () => {
  for (const narrator of opened.splice(0)) await narrator.close();
});

async function begin(ink = ATTIC, storyJson: object = {}): Promise<Session> {
  const files = { "story.ink": ink, "story.json": JSON.stringify({ title: "Attic", ...storyJson }) };
  const loading = await loadStory(makeStoryFolder(files), NARRATOR_KINDS);
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  opened.push(loading.narrator);
  const session = startSession(loading.narrator, { state: STATE });
  await session.turn(null);
  return session;
}

describe("[L1.4] what can always be typed", () => {
  test.each([
    ["look around", "your aunt's attic"],
    ["where am I?", "your aunt's attic"],
    ["what's in my satchel", "You carry: an oil lamp (lit), 3 coins."],
    ["check my bag", "You carry: an oil lamp (lit), 3 coins."],
    ["who am I", "You are Ada, and this is your aunt's attic."],
    ["where can I go", "From here: *Go down the ladder*."],
    ["what can I do?", "You could: *Open the trunk*, *Open the window*, or *Go down the ladder*."],
    ["give me a hint, please", "Count the locks."],
    ["examine the locks", "A trunk stands under the window; the trunk has three locks."],
    ["look at the lamp", "You carry it: an oil lamp (lit)."],
    ["wait a minute", "Time passes."],
    ["help", "Say what you do"],
    ["how do I save?", "every turn is kept"],
    ["I want to quit", "*/quit*"],
    ["yes", "Nobody has asked you anything"],
  ])("%s", async (prompt, expected) => {
    const session = await begin();
    const { memory } = session;
    const { text, plans, choices } = await session.turn(prompt);
    expect(text).toContain(expected);
    expect([plans, choices.length]).toEqual([[], 3]);
    expect(session.memory).toEqual(memory);
  });

  test("what nothing names cannot be examined, and a choice to look comes first", async () => {
    const session = await begin(`${ATTIC}\n+ [Look at the moth] Grey. -> kitchen`);
    expect((await session.turn("examine the unicorn")).text).toContain("examine the unicorn");
    expect((await session.turn("open the trunk, then look")).text).toBe("It opens. A moth flies out.");
  });

  test("a hint is the author's until the scene changes, then what was not tried", async () => {
    const session = await begin();
    await session.turn("Go down the ladder");
    expect((await session.turn("hint")).text).toBe("You have not tried this yet: *Climb back up*.");
    await session.turn("stir the pot");
    await session.turn("climb back up");
    await session.turn("go down the ladder");
    expect((await session.turn("hint")).text).toContain("You have tried all there is");
  });

  test("the story's own voice comes first", async () => {
    const voice = { wait: "The clock takes offence.", who: "A cat, mostly.", save: "It is written." };
    const session = await begin(ATTIC, { voice });
    for (const [prompt, said] of [
      ["wait", voice.wait],
      ["who am i", voice.who],
      ["save", voice.save],
    ]) {
      expect((await session.turn(prompt ?? "")).text).toBe(said);
    }
  });
});

describe("[L1.4] words of the host", () => {
  test("undo and restart say how it is done, and offer themselves", async () => {
    const session = await begin();
    const undo = await session.turn("undo");
    expect(undo.text).toContain("*/undo*");
    expect(undo.offered[0]).toEqual({ id: UNDO_CHOICE, label: "Undo the last turn" });
    await session.turn("open the trunk");
    const restart = await session.turn("I want to start over");
    expect(restart.text).toContain("*/new*");
    expect(restart.choices[0]).toBe("Begin again");
    const again = await session.turn("Begin again", restart.offered[0]?.id);
    expect(again.text).toContain("You are Ada");
    expect(again.choices).toContain("Open the trunk");
  });
});

describe("[L1.1] did you mean", () => {
  test("is asked with what is near as choices; yes does the only one, no does nothing", async () => {
    const session = await begin();
    const asked = await session.turn("take the trunk");
    expect(asked.text).toBe("*take the trunk*? Did you mean:");
    expect(asked.choices).toEqual(["Open the trunk", "Look around"]);
    expect((await session.turn("no")).text).toBe("Not that, then.");
    await session.turn("take the trunk");
    expect((await session.turn("yes please")).text).toContain("It opens.");
  });

  test("a number takes one of several", async () => {
    const session = await begin();
    const asked = await session.turn("open");
    expect(asked.choices).toEqual(["Open the trunk", "Open the window"]);
    expect((await session.turn("2")).text).toBe("Air.");
  });
});

describe("[L1.2] several wishes", () => {
  test("those before the first that is not understood are done, and the words are named", async () => {
    const session = await begin();
    const { text } = await session.turn("open the trunk, juggle with the moths and open the window");
    expect(text).toContain("It opens.");
    expect(text).toContain("juggle with the moths and open the window");
    expect(text).not.toContain("Air.");
  });
});

describe("[L1.5] other languages", () => {
  test("a German story speaks German", async () => {
    const ink = `Du bist Jan. Ein Keller, eine Kiste. # scene\n-> keller\n== keller\n+ [Öffne die Kiste] Leer. -> keller\n* [Geh] Fort. -> END`;
    const session = await begin(ink, { language: "de" });
    expect((await session.turn("was habe ich dabei?")).text).toContain("Du hast bei dir: an oil lamp");
    expect((await session.turn("wer bin ich")).text).toBe("Du bist Jan.");
    expect((await session.turn("tanze")).text).toContain("Du könntest: *Öffne die Kiste*, oder *Geh*.");
    expect((await session.turn("nimm die Kiste")).text).toContain("Meinst du:");
    expect((await session.turn("geh")).choices).toEqual(["Noch einmal von vorn"]);
  });

  test("in a language of which nothing is known nothing English is said or understood", async () => {
    const ink = `Une cave. # scene\n-> cave\n== cave\n+ [Ouvrir la porte] Le vent. -> cave\n* [Partir] -> END`;
    const session = await begin(ink, { language: "fr" });
    for (const prompt of ["look", "inventory", "open the porte", "undo", "xyz"]) {
      const { text } = await session.turn(prompt);
      expect(text.replaceAll(prompt, "")).not.toMatch(/\b(you|the|is|could|mean|or)\b/i);
    }
    expect((await session.turn("ouvrir la prote")).text).toBe("Le vent.");
    expect((await session.turn("Partir")).choices).toEqual(["↺"]);
  });

  test("a language that is none is a problem of story.json", async () => {
    const files = { "story.ink": "Hm. -> END", "story.json": JSON.stringify({ language: "english please" }) };
    const loading = await loadStory(makeStoryFolder(files), NARRATOR_KINDS);
    expect(loading).toMatchObject({ kind: "invalid", problems: [{ file: "story.json", pointer: "/language" }] });
  });
});
