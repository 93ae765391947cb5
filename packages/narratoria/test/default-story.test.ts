/** The default story: it compiles, no walk through it gets lost, and every ending is reached by choices and by typing. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { checkInkSources } from "../src/narrators/ink-source-check.ts";
import type { ExecutionResult } from "../src/story/execution-result.ts";
import { narratoria } from "./narratoria-command.ts";
import { createPythonStory } from "./python-story.ts";
import { inkFiles, startGame, STORY_DIR, storyJson, type Fate, type Game, type OpenChoice } from "./default-story.ts";

const TOOLS = fileURLToPath(new URL("../../../tools", import.meta.url));
const WALKTHROUGHS = join(STORY_DIR, "walkthroughs");
const ENDINGS = ["All Up", "As Minuted", "No One", "No One Yet", "Put Out"];
const TYPED_ONLY = ["Knock on the rock", "Lie down on the bunk", "Listen", "Open the drawer", "Touch the mark"];

const lucky: Fate = { succeeds: () => true, dice: () => 12 };
const unlucky: Fate = { succeeds: () => true, dice: () => 2 };
const broken: Fate = { succeeds: () => false, dice: () => 2 };

describe("the folder", () => {
  test("[N1.1] its ink has no problem", () => {
    const mounts = new Set([...storyJson.mounts.map(({ name }) => name), "satchel", "acoustics"]);
    expect([...inkFiles.problems, ...checkInkSources(inkFiles.texts, mounts)]).toEqual([]);
  });

  test("its mounts ask for what the tools' own manifests ask for", () => {
    for (const { transport, ...mount } of storyJson.mounts) {
      expect(transport).toEqual({ type: "stdio", command: [`builtin:${mount.name}`] });
      const manifest = JSON.parse(readFileSync(join(TOOLS, mount.name, "tool.json"), "utf8")) as object;
      expect(mount).toEqual({ ...manifest, transport: undefined, description: expect.any(String) });
    }
  });

  test("[R1.3] its satchel, a Python function, turns what is taken and dropped into state", async () => {
    const { result } = await runSatchel([{ take: "tin", name: "a tin", oil: 2 }, { drop: "letter" }]);
    expect(result).toMatchObject({
      success: true,
      aggregatedState: { inventory: { tin: { name: "a tin", oil: 2 } } },
      toolResults: [{ attempts: [{ trace: { runner: "local" } }] }, { output: { letter: null } }],
    });
    expect(result.aggregatedState).not.toHaveProperty("inventory.letter");
  });

  test("its satchel fails when nothing is named", async () => {
    const { result } = await runSatchel([{}]);
    expect(result.toolResults).toMatchObject([{ errorDetail: { category: "tool_failure", code: "ValueError" } }]);
  });
});

async function runSatchel(inputs: object[]): Promise<{ result: ExecutionResult }> {
  using folder = createPythonStory({ "state.json": JSON.stringify(storyJson.state) });
  const tools = inputs.map((input, index) => ({
    toolId: `satchel${index}`,
    toolPath: "satchel",
    input,
    retryPolicy: { maxRetries: 0, backoffMs: 0 },
  }));
  const plan = folder.write("plan.json", JSON.stringify({ requestId: "p", narrative: "", tools }));
  const run = await narratoria(["run", plan, "--story", STORY_DIR, "--state", join(folder.path, "state.json")]);
  return { result: JSON.parse(run.stdout) as ExecutionResult };
}

describe("the first scene", () => {
  test("[N1.1] the torch and the door answer to their own names, alone and together", () => {
    for (const prompts of [
      ["I light the torch", "I examine the mysterious door"],
      ["I light the torch and examine the door"],
    ]) {
      const game = play(prompts, lucky);
      expect(game.tools.map(({ mount, input }) => [mount, input])).toEqual([
        ["torch-lighter", { action: "light_torch" }],
        ["door-examiner", { target: "mysterious_door" }],
      ]);
      expect(game.text).toContain("“Ancient runes,” says the pamphlet.");
    }
  });

  test("[N1.2] a torch that fails leaves the door, and the door's own choices have a way on", () => {
    const noTorch: Fate = { succeeds: ({ mount }) => mount !== "torch-lighter", dice: () => 7 };
    const game = play(["I light the torch and examine the door"], noTorch);
    expect(game.text).toContain("You have hands.");
    expect(game.text).toContain("Your palm finds oak");
    expect(game.choices().map(({ label }) => label)).toEqual(expect.arrayContaining(["Open", "Leave"]));
    game.type("Open");
    game.type("light the lantern");
    expect(game.state).toMatchObject({ lantern: { lit: true } });
    expect(game.text).toContain("A room cut square out of the rock.");
  });
});

test(
  "a few hundred random walks: no error, no dead end, every choice its own words, every ending",
  { timeout: 120_000 },
  () => {
    const endings = new Set<string>();
    const hidden = new Set<string>();
    const checked = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const random = createRandom(seed);
      const reliability = [0, 0.5, 0.9][seed % 3] ?? 0;
      const game = startGame({ succeeds: () => random() < reliability, dice: () => 2 + Math.floor(random() * 11) });
      const done = new Set<string>();
      for (let step = 0; step < 100 && game.ending === null; step++) {
        const choices = game.choices();
        expect(
          choices.some((choice) => !choice.hidden),
          game.text.slice(-300),
        ).toBe(true);
        const neighbours = choices.flatMap((one) => choices.map((other) => `${one.label}|${other.label}`));
        if (neighbours.some((pair) => !checked.has(pair))) expectOwnWords(game, choices);
        for (const pair of neighbours) checked.add(pair);
        // Rather something new than the same again: walks that only wander see little.
        const fresh = choices.filter((choice) => !done.has(choice.label));
        const pool = fresh.length > 0 && random() < 0.7 ? fresh : choices;
        const index = choices.indexOf(pool[Math.floor(random() * pool.length)] as OpenChoice);
        const { label, hidden: isHidden } = choices[index] as OpenChoice;
        done.add(label);
        if (isHidden) hidden.add(label);
        // Walks that end at the first chance would seldom see the far end of the hill.
        if (!/^(?:Go home|Put|Write)/.test(label) || random() < 0.05) game.choose(index);
      }
      if (game.ending !== null) endings.add(game.ending);
      expect(game.text).not.toMatch(/\bfalse\b|[{}]| {2}| [,.;:]/);
    }
    expect([...endings].toSorted()).toEqual(ENDINGS);
    expect([...hidden]).toEqual(expect.arrayContaining(TYPED_ONLY));
  },
);

describe("walkthroughs", () => {
  test.each([
    ["all-up", "All Up"],
    ["all-up-typed", "All Up"],
    ["as-minuted", "As Minuted"],
    ["no-one", "No One"],
    ["no-one-yet", "No One Yet"],
    ["put-out", "Put Out"],
  ])("%s.txt ends as %s, whatever the dice show", (name, ending) => {
    for (const fate of [lucky, unlucky, { ...lucky, dice: () => 7 }]) {
      expect(play(readPrompts(name), fate).ending).toBe(ending);
    }
  });

  test("all but the typed one use only what the buttons say", () => {
    const names = readdirSync(WALKTHROUGHS).map((file) => file.replace(".txt", ""));
    for (const name of names.filter((file) => !file.endsWith("-typed"))) {
      const game = startGame(unlucky);
      for (const prompt of readPrompts(name)) {
        const index = game.choices().findIndex(({ label, hidden }) => label === prompt && !hidden);
        expect(index, `${name}: ${prompt}`).toBeGreaterThanOrEqual(0);
        game.choose(index);
      }
    }
  });

  test("what was found by typing comes up the stairs at the end", () => {
    const { text, state } = play(readPrompts("all-up-typed"), unlucky);
    for (const words of ["None of them counts it.", "as your grandmother walked", "Did he get to see it?"]) {
      expect(text).toContain(words);
      expect(play(readPrompts("all-up"), unlucky).text).not.toContain(words);
    }
    expect(state).toMatchObject({
      inventory: { brass_key: { name: "a brass key" }, flask: { oil: 0 }, tin: { oil: 0 } },
    });
    expect(state).not.toHaveProperty("inventory.pay_packets");
  });

  test("[N1.4] with every tool broken the best ending can still be reached", () => {
    const dark = ["Light the torch", "Open the door", "Light the lantern"];
    const rest = readPrompts("all-up").slice(readPrompts("all-up").indexOf("Open") + 1);
    expect(play([...dark, ...rest], broken).ending).toBe("All Up");
  });

  test("the puzzle hangs on the tools: no map, no Long Rake; too little oil, too small a light", () => {
    const withoutMap = readPrompts("all-up")
      .filter((prompt) => !prompt.startsWith("Take a rubbing"))
      .map((prompt) => prompt.replace(" to the Long Rake", ""));
    expect(play(withoutMap, lucky).ending).toBeNull();
    const withoutTin = readPrompts("all-up").filter((prompt) => prompt !== "Take the tin");
    expect(play(withoutTin, lucky).ending).toBe("All Up");
    expect(play(withoutTin, unlucky).ending).toBeNull();
  });
});

function play(prompts: readonly string[], fate: Fate): Game {
  const game = startGame(fate);
  for (const prompt of prompts) game.type(prompt);
  return game;
}

function readPrompts(name: string): string[] {
  return readFileSync(join(WALKTHROUGHS, `${name}.txt`), "utf8")
    .trim()
    .split("\n");
}

/** Whatever an author wrote for a choice leads to that choice and to no other that is open with it. */
function expectOwnWords(game: Game, choices: readonly OpenChoice[]): void {
  for (const [index, { label, aliases }] of choices.entries()) {
    for (const words of [label, ...aliases]) {
      expect(game.match(words), `"${words}" in ${choices.map((choice) => choice.label).join(", ")}`).toMatchObject({
        kind: "match",
        index,
      });
      const owners = choices.filter((choice) => choice.aliases.includes(words));
      expect(owners.length, `"${words}" belongs to several choices`).toBeLessThan(2);
    }
  }
}

/** A small generator, so that a failing walk fails again. */
function createRandom(seed: number): () => number {
  let value = seed;
  return () => {
    value = (value * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return value / 2 ** 32;
  };
}
