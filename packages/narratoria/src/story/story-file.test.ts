import { expect, test } from "vitest";
import { storyFileSchema } from "./story-file.ts";

const WHOLE = {
  title: "The Lighthouse",
  version: "1.2",
  author: "Ada",
  description: "Dark and wet.",
  goal: "Light the lamp.",
  narrator: "ink",
  narratorFile: "story.ink",
  mounts: ["tools/lamp", { name: "bell" }],
  state: { lamp: { lit: false } },
  synonyms: { take: ["grab", "pick up"] },
  voice: {
    unmatched: ["Pardon?", "You cannot {prompt}."],
    help: "Say where to go.",
    inventoryEmpty: "You have nothing.",
  },
};

test.each<[what: string, file: object]>([
  ["all there is to say", WHOLE],
  ["nothing", {}],
  ["null in every field", Object.fromEntries(Object.keys(WHOLE).map((field) => [field, null]))],
  ["empty texts about itself", { title: "", version: "", author: "", description: "", goal: "" }],
  ["no mounts, no state, no synonyms, no voice", { mounts: [], state: {}, synonyms: {}, voice: {} }],
  ["a single text where several may stand", { synonyms: { take: ["grab"] }, voice: { unmatched: ["Pardon?"] } }],
  ["a field of a later version", { title: "T", weather: "rain" }],
])("a story may say %s", (_, file) => {
  expect(storyFileSchema.safeParse(file).error).toBeUndefined();
});

test.each<[place: string, file: object]>([
  ["title", { title: 7 }],
  ["version", { version: 1.2 }],
  ["author", { author: ["Ada"] }],
  ["description", { description: {} }],
  ["goal", { goal: true }],
  ["narrator", { narrator: "" }],
  ["narratorFile", { narratorFile: "" }],
  ["mounts", { mounts: "tools/lamp" }],
  ["state", { state: [] }],
  ["synonyms.", { synonyms: { "": ["grab"] } }],
  ["synonyms.take", { synonyms: { take: [] } }],
  ["synonyms.take.1", { synonyms: { take: ["grab", ""] } }],
  ["voice", { voice: "gruff" }],
  ["voice.unmatched", { voice: { unmatched: [] } }],
  ["voice.unmatched.0", { voice: { unmatched: [""] } }],
  ["voice.help", { voice: { help: "" } }],
  ["voice.inventoryEmpty", { voice: { inventoryEmpty: "" } }],
])("what is wrong is refused where it stands: %s", (place, file) => {
  const issues = storyFileSchema.safeParse({ ...WHOLE, ...file }).error?.issues ?? [];
  expect(issues.map(({ path }) => path.join("."))).toEqual([place]);
});
