/** What a session is for: its goal and what it starts with. `session:start` carries it as `data.plan`. */
import type { JsonObject } from "@narratoria/tool/json";
import { z } from "zod";
import { jsonObjectSchema } from "./json-value-schema.ts";

export interface SessionPlan {
  goal: string;
  inputs: JsonObject;
}

export const sessionPlanSchema = z.object({
  goal: z.string().describe("What the session is about: the story's goal, else its title."),
  inputs: jsonObjectSchema.describe("What it starts with: the story, its version, the initial state."),
});
