/** The stub narrator: fixed prompts, fixed plans. */
import { expect, test } from "vitest";
import { NARRATOR_KINDS } from "../src/narrators/narrator-kinds.ts";
import { loadStory } from "../src/runtime/mounts/load-story.ts";
import type { Narrator } from "../src/runtime/seams/narrator.ts";
import { makeStoryFolder, startSession, type Fate } from "./narrator-session.ts";

const light = { toolId: "light1", toolPath: "tools/torch-lighter/run", input: { action: "light_torch" } };
const examine = { toolId: "examine1", toolPath: "door-examiner", dependencies: ["light1"] };
const ENTRIES = [
  { opening: true, narrative: "A cellar.", choices: ["light the torch"] },
  { pattern: "/^dig\\b/i", narrative: "The floor is stone." },
  {
    match: "light the torch and examine the door",
    plans: [
      { narrative: "You reach for the torch.", tools: [light, examine] },
      { narrative: "Again.", tools: [light] },
      { narrative: "In the dark, then.", tools: [{ ...examine, dependencies: [] }] },
    ],
    narrative: "Done.",
  },
  { match: "light the torch", plan: { tools: [light] } },
];
const allWell: Fate = () => ({ patch: {} });
// Disabled by path here: the made-up runtime knows no skill names.
const torchFails: Fate = ({ toolId }) => (toolId === "light1" ? { error: "damp" } : { patch: {} });

async function openStub(): Promise<Narrator> {
  const dir = makeStoryFolder({ "plans.json": JSON.stringify(ENTRIES) }, ["door-examiner"]);
  const loading = await loadStory(dir, NARRATOR_KINDS);
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  return loading.narrator;
}

test("[N1.1] a known prompt gets its plan, then its narrative", async () => {
  const session = startSession(await openStub(), { fate: allWell });
  expect(await session.turn(null)).toMatchObject({ text: "A cellar.", choices: ["light the torch"] });
  const turn = await session.turn("I light the torch and examine the door!");
  expect(turn.plans).toMatchObject([{ tools: [light, examine] }]);
  expect(turn.text).toBe("You reach for the torch.\n\nDone.");
  expect((await session.turn("dig a hole")).text).toBe("The floor is stone.");
});

test("[N1.2] a replan is the next plan without a disabled skill", async () => {
  const session = startSession(await openStub(), { fate: torchFails, disabledSkills: ["torch-lighter"] });
  const turn = await session.turn("light the torch and examine the door");
  expect(turn.text).toBe("In the dark, then.\n\nDone.");
});

test("[N1.4] when no plan is left, or no prompt fits, the answer quotes the prompt and offers what is known", async () => {
  const session = startSession(await openStub(), { fate: torchFails });
  for (const prompt of ["light the torch", "sing to the moon"]) {
    const turn = await session.turn(prompt);
    expect(turn.text).toContain(prompt);
    expect(turn.choices).toEqual(["light the torch and examine the door", "light the torch"]);
  }
});
