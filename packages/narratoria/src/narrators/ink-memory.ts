/** What the ink narrator remembers from turn to turn: ink's own state and what the player was last told and offered. */
import type { Json } from "@narratoria/tool/json";
import { z } from "zod";
import type { InkLine } from "./ink-play.ts";

const memorySchema = z.object({
  /** Ink's state, as ink writes it. */
  ink: z.string(),
  choices: z.array(z.object({ label: z.string(), aliases: z.array(z.string()), hidden: z.boolean() })),
  /** What `look` tells. */
  scene: z.string(),
  /** The story marks its scenes, so a turn without a mark does not change the scene. */
  marksScenes: z.boolean(),
  over: z.boolean(),
  /** The last turn failed in ink: beginning again is open though the story is not over. */
  stumbled: z.boolean(),
});

export type InkMemory = z.output<typeof memorySchema>;

/** Null in a new session, and where the memory is another narrator's. */
export function readMemory(memory: Json): InkMemory | null {
  const reading = memorySchema.safeParse(memory);
  return reading.success ? reading.data : null;
}

/** The scene after these lines: from the latest line that starts one, else all of them if the story marks none. */
export function sceneAfter(
  lines: readonly InkLine[],
  before: InkMemory | null,
): Pick<InkMemory, "scene" | "marksScenes"> {
  const start = lines.findLastIndex(({ startsScene }) => startsScene);
  const marksScenes = start >= 0 || (before?.marksScenes ?? false);
  if (start < 0 && marksScenes) return { scene: before?.scene ?? "", marksScenes };
  return { scene: asText(lines.slice(Math.max(start, 0))), marksScenes };
}

/** Every line of ink is a paragraph. */
export function asText(lines: readonly { text: string }[]): string {
  return lines.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n\n");
}
