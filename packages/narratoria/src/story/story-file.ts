/** `story.json`: what a story says about itself. `runtime/mounts/load-story.ts` reads it from a folder. */
import { z } from "zod";
import { jsonObjectSchema, jsonSchema } from "./json-value-schema.ts";

/** How a story speaks when no choice fits; `{prompt}` is what the player typed. */
export interface Voice {
  unmatched?: string[] | undefined;
  help?: string | undefined;
  inventoryEmpty?: string | undefined;
}

const text = z.string().nullish();
const texts = z.array(z.string().min(1)).min(1);

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
  voice: z
    .object({
      unmatched: texts.optional(),
      help: z.string().min(1).optional(),
      inventoryEmpty: z.string().min(1).optional(),
    })
    .nullish(),
});

export type StoryFile = z.output<typeof storyFileSchema>;
