/** What the ink narrator remembers from turn to turn: ink's own state and what the player was last told and offered. */
import { isJsonObject, type Json } from "@narratoria/tool/json";
import type { InkChoice, InkLine } from "./ink-play.ts";

export interface InkMemory {
  /** Ink's state, as ink writes it. */
  ink: string;
  choices: InkChoice[];
  /** What `look` tells. */
  scene: string;
  /** The story marks its scenes, so a turn without a mark does not change the scene. */
  marksScenes: boolean;
  over: boolean;
}

/** Null in a new session, and where the memory is another narrator's. */
export function readMemory(memory: Json): InkMemory | null {
  if (!isJsonObject(memory) || typeof memory["ink"] !== "string") return null;
  const choices = Array.isArray(memory["choices"]) ? memory["choices"] : [];
  return {
    ink: memory["ink"],
    choices: choices.filter(isJsonObject).map(({ label, aliases, hidden }) => ({
      label: String(label),
      aliases: Array.isArray(aliases) ? aliases.map(String) : [],
      hidden: hidden === true,
    })),
    scene: String(memory["scene"] ?? ""),
    marksScenes: memory["marksScenes"] === true,
    over: memory["over"] === true,
  };
}

export function writeMemory({ ink, choices, scene, marksScenes, over }: InkMemory): Json {
  return { ink, choices: choices.map(({ label, aliases, hidden }) => ({ label, aliases, hidden })), scene, marksScenes, over };
}

/** The scene after these lines: from the latest line that starts one, else all of them if the story marks none. */
export function sceneAfter(lines: readonly InkLine[], before: InkMemory | null): Pick<InkMemory, "scene" | "marksScenes"> {
  const start = lines.findLastIndex(({ startsScene }) => startsScene);
  const marksScenes = start >= 0 || (before?.marksScenes ?? false);
  if (start < 0 && marksScenes) return { scene: before?.scene ?? "", marksScenes };
  return { scene: asText(lines.slice(Math.max(start, 0))), marksScenes };
}

/** Every line of ink is a paragraph. */
export function asText(lines: readonly { text: string }[]): string {
  return lines.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n\n");
}
