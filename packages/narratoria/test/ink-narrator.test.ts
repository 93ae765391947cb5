/** The ink narrator with real ink in its real process; what tools do is made up (`narrator-session.ts`). */
import { afterEach, describe, expect, test } from "vitest";
import { createInkNarrator } from "../src/narrators/ink.ts";
import { NARRATOR_KINDS } from "../src/narrators/narrator-kinds.ts";
import { loadStory, type NarratorKind } from "../src/runtime/mounts/load-story.ts";
import type { Narrator } from "../src/runtime/seams/narrator.ts";
import { makeStoryFolder, startSession, type Fate, type Session } from "./narrator-session.ts";
import { SILENT_STAGE } from "./silent-stage.ts";

const CELLAR = `
EXTERNAL ok(id)
EXTERNAL state(path)
EXTERNAL summary(id)
You stand in a cellar. # scene
-> cellar
== cellar
* [Light the torch # alias: strike the flint, use the tinderbox]
  { state("/inventory/torch/lit"): It burns already. -> cellar }
  You reach for the torch. # tool: light1 torch-lighter action=light_torch
  { ok("light1"):
    The torch catches: {summary("light1")}
  - else:
    The torch is damp.
  }
  -> cellar
+ [Examine the mysterious door # alias: look at the runes]
  {state("/inventory/torch/lit"): By torchlight you|In the dark you} feel along the door. # tool: examine1 door-examiner target=mysterious_door
  {ok("examine1"): Runes.|Nothing.}
  -> cellar
+ [Roll the dice] You roll. # tool: roll1 dice-roller dice=2d6
  {state("/dice/total")} pips.
  -> cellar
* [Pull the third book # hidden] A shelf swings open. -> cellar
* {state("/inventory/torch/lit")} [Go in] You go in, and it is warm. # ending: Warm
  -> END
`;
const TOOLS = ["torch-lighter", "door-examiner", "dice-roller"];

const succeed: Fate = ({ toolPath }) => {
  if (toolPath === "torch-lighter")
    return { patch: { inventory: { torch: { lit: true } } }, summary: "a steady flame." };
  return { patch: toolPath === "dice-roller" ? { dice: { total: 7 } } : { discovered: { door: true } } };
};
const torchFails: Fate = (tool) => (tool.toolPath === "torch-lighter" ? { error: "damp" } : succeed(tool));

const opened: Narrator[] = [];
afterEach(async () => {
  for (const narrator of opened.splice(0)) await narrator.close();
});

async function open(ink: string, storyJson: object = {}, kind?: NarratorKind): Promise<Narrator> {
  const files = { "story.ink": ink, "story.json": JSON.stringify({ title: "Test", ...storyJson }) };
  const kinds = kind === undefined ? NARRATOR_KINDS : { ink: kind };
  const loading = await loadStory(makeStoryFolder(files, TOOLS), kinds);
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  opened.push(loading.narrator);
  return loading.narrator;
}

async function begin(ink = CELLAR, options: Parameters<typeof startSession>[1] = {}): Promise<Session> {
  const session = startSession(await open(ink), { fate: succeed, ...options });
  await session.turn(null);
  return session;
}

describe("plans", () => {
  test("[N1.1] two wishes are one plan, the second tool after the first", async () => {
    const session = await begin();
    const turn = await session.turn("I light the torch and examine the door");
    expect(turn.plans).toHaveLength(1);
    expect(turn.plans[0]).toMatchObject({
      narrative: "You reach for the torch.",
      parallel: false,
      tools: [
        {
          toolId: "light1",
          toolPath: "torch-lighter",
          input: { action: "light_torch" },
          dependencies: [],
          required: true,
        },
        {
          toolId: "examine1",
          toolPath: "door-examiner",
          input: { target: "mysterious_door" },
          dependencies: ["light1"],
        },
      ],
    });
    expect(turn.text.split("\n\n")).toEqual([
      "You reach for the torch.",
      "The torch catches: a steady flame.",
      "By torchlight you feel along the door.",
      "Runes.",
    ]);
    expect(turn.choices).toEqual(["Examine the mysterious door", "Roll the dice", "Go in"]);
  });

  test("[N1.2] when the torch fails, the second plan has what is left, and the story takes the other branch", async () => {
    const session = await begin(CELLAR, { fate: torchFails });
    const turn = await session.turn("I light the torch and examine the door");
    expect(turn.plans.map(({ tools }) => tools.map(({ toolId }) => toolId))).toEqual([
      ["light1", "examine1"],
      ["examine1"],
    ]);
    expect(turn.plans[1]).toMatchObject({
      narrative: "The torch is damp.\n\nIn the dark you feel along the door.",
      tools: [{ toolPath: "door-examiner", dependencies: [] }],
      disabledSkills: ["torch-lighter"],
    });
    expect(turn.text.split("\n\n")).toEqual([
      "You reach for the torch.",
      "The torch is damp.",
      "In the dark you feel along the door.",
      "Runes.",
    ]);
  });

  test("[N1.2] a disabled skill counts as failed without being planned", async () => {
    const session = await begin(CELLAR, { disabledSkills: ["torch-lighter"] });
    const turn = await session.turn("light the torch");
    expect(turn.plans).toEqual([]);
    expect(turn.text).toBe("You reach for the torch.\n\nThe torch is damp.");
  });

  test("[N1.1] what stands before a tool reads the state from before the tool", async () => {
    const session = await begin();
    const turn = await session.turn("light the torch");
    expect(turn.text).not.toContain("It burns already");
    expect(turn.narrative).toBe("The torch catches: a steady flame.");
  });

  test("[N1.1] the same tool twice in a turn runs twice", async () => {
    const session = await begin();
    const turn = await session.turn("roll the dice, then roll the dice");
    expect(turn.plans.flatMap(({ tools }) => tools.map(({ toolId }) => toolId))).toEqual(["roll1", "roll1-2"]);
    expect(turn.text).toBe("You roll.\n\n7 pips.\n\nYou roll.\n\n7 pips.");
  });

  test("[N1.1] tags carry input, dependencies, optional and async into the plan", async () => {
    const ink = `VAR who = "Old Tom"
      * [Go] You go. # tool: a dice-roller n=3 x=-1.5 yes=true say="two words" who={who} # tool: b torch-lighter after=a optional async operation=burn
      -> END`;
    const session = await begin(ink);
    const { plans } = await session.turn("go");
    expect(plans[0]).toMatchObject({
      parallel: true,
      tools: [
        { toolId: "a", input: { n: 3, x: -1.5, yes: true, say: "two words", who: "Old Tom" }, async: false },
        { toolId: "b", dependencies: ["a"], required: false, async: true, operation: "burn" },
      ],
    });
  });

  test("[N1.1] behind a tool that has not run, only what is sure is planned", async () => {
    const ink = `EXTERNAL state(path)
      * [Go] You light it. # tool: light torch-lighter
        {state("/inventory/torch/lit"):
          It is bright. # tool: bright door-examiner
        - else:
          It is dark. # tool: dark dice-roller
        }
        -> END`;
    const session = await begin(ink);
    const { plans, text } = await session.turn("go");
    expect(plans.map(({ tools }) => tools.map(({ toolId }) => toolId))).toEqual([["light"], ["bright"]]);
    expect(text).toBe("You light it.\n\nIt is bright.");
  });

  test("[N1.2] the failure branch may call another tool", async () => {
    const ink = `EXTERNAL ok(id)
      * [Go] Flint. # tool: a torch-lighter
        {ok("a"): Lit. | Damp; you look for another way. # tool: b door-examiner}
        {ok("b"): Found.}
        -> END`;
    const session = await begin(ink, { fate: torchFails });
    const { plans, text } = await session.turn("go");
    expect(plans.map(({ tools }) => tools.map(({ toolId }) => toolId))).toEqual([["a"], ["b"]]);
    expect(text).toBe("Flint.\n\nDamp; you look for another way.\n\nFound.");
  });

  test("[N1.2] a rejected plan is not asked for again", async () => {
    const narrator = await open(CELLAR);
    const session = startSession(narrator);
    await session.turn(null);
    const context = {
      state: {},
      stateAtStart: {},
      memory: session.memory,
      choices: [],
      history: [],
      seed: 1,
    };
    const ask = (plans: Parameters<Narrator["next"]>[0]["plans"]) =>
      narrator.next(
        { prompt: "light the torch", choiceId: null, context, disabledSkills: [], plans, told: [], sessionId: null },
        SILENT_STAGE,
        new AbortController().signal,
      );
    const first = await ask([]);
    if (first.kind !== "plan") throw new Error("no plan");
    const second = await ask([{ kind: "rejected", plan: first.plan as object as { requestId: string }, problems: [] }]);
    expect(second).toMatchObject({ kind: "end", narrative: "You reach for the torch.\n\nThe torch is damp." });
  });
});

describe("what players type", () => {
  test.each([
    "Light the torch",
    "LIGHT TORCH!",
    "I lihgt the torhc",
    "please ignite the brand",
    "strike the flint",
    "1",
  ])("[N1.1] %s lights the torch", async (prompt) => {
    const session = startSession(await open(CELLAR, { synonyms: { torch: ["brand"] } }), { fate: succeed });
    await session.turn(null);
    expect((await session.turn(prompt)).text).toContain("The torch catches");
  });

  test("[N1.1] a hidden choice has no button and can be typed", async () => {
    const session = await begin();
    expect((await session.turn("look")).choices).toEqual([
      "Light the torch",
      "Examine the mysterious door",
      "Roll the dice",
    ]);
    expect((await session.turn("pull the third book")).text).toBe("A shelf swings open.");
  });

  test("[N1.1] the second wish may need what the first one changed", async () => {
    const session = await begin();
    const { text, ending } = await session.turn("light the torch and go in");
    expect(text).toContain("You go in, and it is warm.");
    expect(ending).toBe("Warm");
  });

  test("[N1.4] the part that cannot be done is named, after what was done", async () => {
    const session = await begin();
    const { text } = await session.turn("pull the third book and dance");
    expect(text).toMatch(/^A shelf swings open\.\n\n.*\*dance\*/);
  });

  test("[N1.4] words that fit several choices get a question with those as choices", async () => {
    const session = await begin(
      "* [Take the red key] Red. -> END\n* [Take the blue key] Blue. -> END\n* [Leave] -> END\n",
    );
    const asked = await session.turn("take the key");
    expect(asked.choices).toEqual(["Take the red key", "Take the blue key"]);
    expect((await session.turn("2")).text).toBe("Blue.");
  });

  test("[N1.1] a sentence may wander on its way to one wish", async () => {
    const keys = "* [Take the red key] Red. -> END\n* [Take the blue key] Blue. -> END\n";
    expect((await (await begin(keys)).turn("take a key, the blue one")).text).toBe("Blue.");
    expect((await (await begin(keys)).turn("take the red key, carefully, please")).text).toBe("Red.");
  });

  test("[N1.4] a prompt as long as prompts may be is answered too", async () => {
    const session = await begin();
    for (const filler of [" ", ".", "a ", "torch ", "and "]) {
      const { choices } = await session.turn(`${filler.repeat(64_000 / filler.length)}x`);
      expect(choices).toEqual(["Light the torch", "Examine the mysterious door", "Roll the dice"]);
    }
  });

  test("[N1.4] words that fit nothing get an answer, the open choices, and change nothing", async () => {
    const session = await begin();
    const memory = session.memory;
    const { text, choices, plans } = await session.turn("juggle *geese*");
    expect(text).toContain("juggle \\*geese\\*");
    expect(text).toContain("You could: *Light the torch*");
    expect([choices.length, plans]).toEqual([3, []]);
    expect(session.memory).toEqual(memory);
  });

  test("[N1.1] look, inventory and help always work and change nothing", async () => {
    const session = await begin(CELLAR, {
      state: { inventory: { torch: { lit: true, wet: false }, coins: 3, rope: { name: "an old rope" }, lost: false } },
    });
    await session.turn("pull the third book");
    const memory = session.memory;
    expect((await session.turn("look around")).text).toBe("You stand in a cellar.");
    expect((await session.turn("i")).text).toBe("You carry: torch (lit), 3 coins, an old rope.");
    expect((await session.turn("help")).text).toContain("*Light the torch*");
    expect(session.memory).toEqual(memory);
  });

  test("[N1.1] a choice with the very words of a command comes first", async () => {
    const session = await begin("* [Help # alias: look] Somebody comes. -> END\n");
    expect((await session.turn("look")).text).toBe("Somebody comes.");
  });
});

describe("the turn is all there is", () => {
  const RANDOM = "-> a\n== a\n{~one|two|three|four} {RANDOM(1, 1000000)} {RANDOM(1, 1000000)}\n+ [again] -> a\n";

  test("[N1.1] a session read back from JSON goes on as the first one does", async () => {
    const session = await begin();
    await session.turn("light the torch");
    const restored = session.restored();
    const prompts = ["pull the third book", "examine the door", "go in"];
    for (const prompt of prompts) expect(await restored.turn(prompt)).toEqual(await session.turn(prompt));
    expect(restored.memory).toEqual(session.memory);
  });

  test("[N1.1] the same seed tells the same, another seed something else", async () => {
    const tell = async (seed: number): Promise<string[]> => {
      const session = startSession(await open(RANDOM), { seed });
      return [(await session.turn(null)).text, (await session.turn("again")).text];
    };
    expect(await tell(7)).toEqual(await tell(7));
    expect(await tell(7)).not.toEqual(await tell(8));
  });

  test("[N1.1] a shuffle deals every card once, over turns of different seeds", async () => {
    const narrator = await open("-> a\n== a\n{~one|two|three|four}\n+ [again] -> a\n");
    const dealt: string[] = [];
    let memory = null as Session["memory"];
    for (const [seed, prompt] of [
      [5, null],
      [91, "again"],
      [17, "again"],
      [66, "again"],
    ] as const) {
      const session = startSession(narrator, { seed, memory });
      dealt.push((await session.turn(prompt)).text);
      memory = session.memory;
    }
    expect(dealt.toSorted()).toEqual(["four", "one", "three", "two"]);
  });
});

describe("stories that end or go wrong", () => {
  test("[N1.4] an ending is named, and the player may begin again", async () => {
    const session = await begin("Once.\n* [Stop] Over. # ending: Peace\n-> END\n");
    const end = await session.turn("stop");
    expect([end.ending, end.choices]).toEqual(["Peace", ["Begin again"]]);
    expect((await session.turn("dance")).choices).toEqual(["Begin again"]);
    expect(await session.turn("Begin again")).toMatchObject({ text: "Once.", choices: ["Stop"], ending: undefined });
  });

  test("[N1.4] an endless loop in ink ends in kind words within its limit, and the story goes on", async () => {
    const ink = "Here.\n* [Loop] -> loop\n* [Rest] You rest. -> END\n== loop\n{true: -> loop}\n-> loop\n";
    const session = startSession(await open(ink, {}, createInkNarrator({ timeLimitMs: 1_000 })));
    await session.turn(null);
    const { text, choices } = await session.turn("loop");
    expect(text).toContain("The story stumbles");
    expect(choices).toEqual(["Loop", "Rest", "Begin again"]);
    expect((await session.turn("rest")).text).toBe("You rest.");
  });

  test("[N1.4] an error in ink is never shown; what was open stays open", async () => {
    const session = await begin("-> a\n== a\nHere.\n* [Fall] Down.\n* [Rest] You rest. -> END\n");
    const { text, choices } = await session.turn("fall");
    expect(text).not.toMatch(/error|content|DONE/i);
    expect(choices).toEqual(["Fall", "Rest", "Begin again"]);
    expect((await session.turn("begin again")).text).toBe("Here.");
  });

  test("[N1.4] a memory that ink cannot read is no dead end", async () => {
    const session = startSession(await open(CELLAR), { memory: { ...memoryOf("{"), over: false } });
    expect((await session.turn("light the torch")).choices).toContain("Begin again");
    expect((await session.turn("begin again")).text).toBe("You stand in a cellar.");
  });
});

describe("ink from elsewhere", () => {
  test("[N1.1] plays as it is, without a story.json and with ink of all kinds", async () => {
    const ink = `# author: somebody
VAR coins = 2
LIST mood = calm, (cross)
EXTERNAL shout(x)
TODO: more rooms
-> town
=== town ===
You have {coins} coins. <>
{ mood ? cross: You are cross. | You are calm. }
 * (buy) [Buy bread]
   ~ coins--
   -> bakery ->
   "Thanks," you say, {shout("well")}.
 + [Walk on] -> square
 - -> town
=== bakery
It smells of bread.
->->
=== square
= gate
The gate. {town.buy: You have bread.} -> END
=== function shout(x)
~ return x + "!"
`;
    const loading = await loadStory(makeStoryFolder({ "story.ink": ink }), NARRATOR_KINDS);
    if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
    opened.push(loading.narrator);
    const session = startSession(loading.narrator);
    expect((await session.turn(null)).text).toBe("You have 2 coins. You are cross.");
    expect((await session.turn("buy bread")).text).toBe(
      'It smells of bread.\n\n"Thanks," you say, well!.\n\nYou have 1 coins. You are cross.',
    );
    expect(await session.turn("walk on")).toMatchObject({ text: "The gate. You have bread.", ending: "The end" });
  });
});

function memoryOf(ink: string): { [key: string]: string | boolean | never[] } {
  return { ink, choices: [], scene: "", marksScenes: false, over: false, stumbled: false };
}
