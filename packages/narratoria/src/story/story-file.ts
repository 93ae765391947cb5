/** `story.json`: what a story says about itself. `runtime/mounts/load-story.ts` reads it from a folder. */
import { z } from "zod";
import { jsonObjectSchema, jsonSchema } from "./json-value-schema.ts";

const text = z.string().nullish();
const texts = z.array(z.string().min(1)).min(1);
const sentence = z.string().min(1).optional();

const voiceSchema = z.object({
  unmatched: texts.optional().describe("Nothing fits; one of these is said."),
  notFollowed: sentence.describe("The rest of a prompt was not followed."),
  ambiguous: sentence.describe("Several choices fit equally well."),
  didYouMean: sentence.describe("No choice fits, but some are near."),
  help: sentence,
  inventory: sentence.describe("{things} is what is carried."),
  inventoryEmpty: sentence,
  carried: sentence.describe("{thing} is what the state knows of a thing."),
  wait: sentence,
  who: sentence.describe("Who the player is."),
  exits: sentence.describe("{choices} are those that lead somewhere."),
  noExits: sentence,
  options: sentence.describe("{choices} are those that are open."),
  hint: sentence.describe("{choices} is one that was not tried yet."),
  noHint: sentence,
  noQuestion: sentence.describe("Yes or no, and nothing was asked."),
  declined: sentence.describe("No, to a question that was asked."),
  undo: sentence,
  redo: sentence,
  save: sentence,
  load: sentence,
  restart: sentence,
  quit: sentence,
  stumbled: sentence.describe("The story's text went wrong."),
  over: sentence.describe("The story has ended."),
  or: sentence.describe("Between the last two of a list."),
  youAre: sentence,
  beginAgain: sentence.describe("A button."),
  lookAround: sentence.describe("A button."),
  undoLast: sentence.describe("A button."),
});

/** How a story speaks where no choice does; `{prompt}` is what the player typed. */
export type Voice = z.output<typeof voiceSchema>;

export const storyFileSchema = z.object({
  title: text,
  version: text,
  author: text,
  description: text,
  goal: text,
  narrator: z.string().min(1).nullish().describe("How the story is told: ink, stub, or module."),
  narratorFile: z.string().min(1).nullish().describe("The file the narrator reads, in the story's folder."),
  mounts: z.array(jsonSchema).nullish().describe("Manifests of tools; see module-descriptor."),
  state: jsonObjectSchema.nullish().describe("The state that a new session begins with."),
  synonyms: z.record(z.string().min(1), texts).nullish(),
  voice: voiceSchema.nullish(),
  language: z
    .string()
    .refine(isLanguageTag, { error: 'must be a BCP 47 tag such as "en", "de" or "pt-BR"' })
    .nullish()
    .describe("The language of the story, as a BCP 47 tag; en when it is missing."),
});

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

export type StoryFile = z.output<typeof storyFileSchema>;
