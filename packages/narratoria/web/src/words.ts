/** What happened, in words a player reads: changes of the state, names of tools, lengths of time. */
import type { Json } from "@narratoria/tool/json";
import { parsePointer } from "../../src/story/json-pointer.ts";
import { wordsForDuration as plainDuration } from "../../src/story/plain-words.ts";
import type { Change } from "../../src/story/session-view.ts";

export { wordsForRetry } from "../../src/story/plain-words.ts";

export interface ChangeWords {
  /** "torch lit" */
  subject: string;
  /** "yes", or "3 → 2" where two numbers are worth comparing. */
  outcome: string;
}

export function wordsForChange({ path, before, after }: Change): ChangeWords {
  const subject = subjectOf(path, typeof (after ?? before) === "boolean");
  if (after === undefined) return { subject, outcome: "gone" };
  const isComparison = before !== undefined && isShort(before) && isShort(after) && typeof after !== "boolean";
  return {
    subject,
    outcome: isComparison ? `${wordsForValue(before)} → ${wordsForValue(after)}` : wordsForValue(after),
  };
}

export function wordsForValue(value: Json): string {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === null) return "nothing";
  if (typeof value === "string") return shorten(value, 60) || "empty";
  if (typeof value === "number") return String(value);
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  return size === 1 ? "1 entry" : `${size} entries`;
}

/** "torch-lighter" and "door_inscription" are names for programs. */
export function plainName(name: string): string {
  return (
    name
      .replaceAll(/[-_]+/g, " ")
      .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
      .trim()
      .toLowerCase() || name
  );
}

export function titleName(name: string): string {
  const plain = plainName(name);
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

export function wordsForDuration(ms: number | null): string {
  return ms === null ? "" : plainDuration(ms);
}

export function wordsForBytes(bytes: number | undefined): string {
  if (bytes === undefined) return "";
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export function wordsForTime(seconds: number): string {
  const ago = Date.now() / 1000 - seconds;
  if (ago < 60) return "just now";
  if (ago < 3600) return `${Math.round(ago / 60)} min ago`;
  if (ago < 86_400) return `${Math.round(ago / 3600)} h ago`;
  return new Date(seconds * 1000).toLocaleDateString(undefined, { day: "numeric", month: "long", year: "numeric" });
}

export function shorten(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length
    ? text
    : `${characters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`;
}

/**
 * The last two names of a path say enough: "/inventory/torch/lit" is "torch lit". Of two, the last one does, unless it is
 * a yes or no: "/lamp/lit" is "lamp lit", "/discovered/runes" just "runes". A name's own name is itself.
 */
function subjectOf(path: string, isYesOrNo: boolean): string {
  const tokens = parsePointer(path) ?? [path];
  const named = tokens.at(-1) === "name" && tokens.length > 1 ? tokens.slice(0, -1) : tokens;
  const telling = named.slice(named.length > 2 || isYesOrNo ? -2 : -1);
  return shorten(telling.map(plainName).join(" "), 40) || "everything";
}

function isShort(value: Json): boolean {
  return typeof value === "number" || (typeof value === "string" && value.length <= 20);
}
