/** What the ink narrator remembers from turn to turn: ink's own state and what the player was last told and offered. */
import type { Json } from "@narratoria/tool/json";
import { z } from "zod";
import type { InkLine } from "./ink-play.ts";
import { asText } from "./paragraphs.ts";
import { MOST_SEEN } from "./understanding/sight.ts";

const memorySchema = z.object({
  /** Ink's state, as ink writes it. */
  ink: z.string(),
  choices: z.array(
    z.object({
      // What version 0.1 remembered has none.
      id: z.string().default(""),
      label: z.string(),
      aliases: z.array(z.string()),
      hidden: z.boolean(),
      isAny: z.boolean().default(false),
      isExact: z.boolean().default(false),
    }),
  ),
  /** What `look` tells. */
  scene: z.string(),
  /** The story marks its scenes, so a turn without a mark does not change the scene. */
  marksScenes: z.boolean(),
  /** The latest of what was told, for what can be examined. */
  seen: z.string().default(""),
  /** What the author says to those who ask for a hint here. */
  hint: z.string().nullable().default(null),
  /** The choices that were taken, by their labels: the latest, for hints. */
  taken: z.array(z.string()).default([]),
  /** The choices of the question that the story asked last ("did you mean"). */
  asked: z.array(z.string()).default([]),
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

const MOST_TAKEN = 200;

/** What hangs on all that was told and taken, not on the scene. */
export function remembered(
  { lines, taken }: { lines: readonly InkLine[]; taken: readonly string[] },
  before: InkMemory | null,
): Pick<InkMemory, "seen" | "hint" | "taken" | "asked"> {
  const told = asText(lines);
  const hint = lines.findLast((line) => line.hint !== null || line.startsScene)?.hint;
  return {
    seen: [before?.seen ?? "", told]
      .filter((text) => text !== "")
      .join("\n\n")
      .slice(-MOST_SEEN),
    hint: hint === undefined ? (before?.hint ?? null) : hint,
    taken: [...(before?.taken ?? []), ...taken].slice(-MOST_TAKEN),
    asked: [],
  };
}
