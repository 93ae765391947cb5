/** What happened, in the words a player reads in the terminal. */
import type { Json } from "@narratoria/tool/json";
import {
  type AssetView,
  type Change,
  parsePointer,
  type ToolView,
  wordsForDuration,
  wordsForRetry,
} from "../story/index.ts";
import { cleanLine } from "./terminal-text.ts";

/** "torch lit: no -> yes" */
export function wordsForChange({ path, before, after }: Change): string {
  const tokens = parsePointer(path) ?? [path];
  // "/inventory/torch/name" says what the torch is called: that is the torch itself.
  const named = tokens.length > 1 && tokens.at(-1) === "name" ? tokens.slice(0, -1) : tokens;
  // "door inscription" says enough; "lit" and "oil" do not without what is lit.
  const isProperty = named.length > 2 || typeof after === "boolean" || typeof after === "number";
  const subject =
    named
      .slice(isProperty ? -2 : -1)
      .map(plainName)
      .join(" ") || "everything";
  if (after === undefined) return `${cleanLine(subject, 40)}: gone`;
  const outcome = wordsForValue(after);
  return `${cleanLine(subject, 40)}: ${before === undefined ? outcome : `${wordsForValue(before)} -> ${outcome}`}`;
}

export function wordsForValue(value: Json | undefined): string {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return cleanLine(value, 60) || "empty";
  if (typeof value === "number") return String(value);
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  return size === 1 ? "1 entry" : `${size} entries`;
}

/** "examining the door... 40 %, retry 2 of 4" */
export function wordsForProgress(tool: ToolView): string {
  const doing = cleanLine(tool.message ?? "").replace(/\s*(?:\.{1,3}|…)$/, "") || plainName(tool.skill);
  const progress = tool.progress === null ? null : `${Math.round(tool.progress * 100)} %`;
  const details = [progress, wordsForRetry(tool)].filter((detail) => detail !== null).join(", ");
  return `${doing}...${details === "" ? "" : ` ${details}`}`;
}

/** "picture lit-torch, 256 x 256" */
export function wordsForAsset({ kind, assetId, width, height, durationMs }: AssetView): string {
  const size = width === undefined || height === undefined ? null : `${width} x ${height}`;
  const length = durationMs === undefined ? null : wordsForDuration(durationMs);
  return [`${cleanLine(kind, 20)} ${cleanLine(assetId, 60)}`, size, length].filter((part) => part !== null).join(", ");
}

/** "torch-lighter" and "door_inscription" are names for programs. */
export function plainName(name: string): string {
  return (
    cleanLine(name)
      .replaceAll(/[-_]+/g, " ")
      .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
      .trim()
      .toLowerCase() || "it"
  );
}

export function wordsForTime(seconds: number, now: number = Date.now() / 1000): string {
  const ago = now - seconds;
  if (ago < 60) return "just now";
  if (ago < 3600) return `${Math.round(ago / 60)} min ago`;
  if (ago < 86_400) return `${Math.round(ago / 3600)} h ago`;
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
