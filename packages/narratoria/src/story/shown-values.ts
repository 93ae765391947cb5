/**
 * How much of what a tool said a view shows. A view is held for every open session and sent whole to whoever looks, so
 * it must stay small whatever tools print; the log keeps what is left out here.
 */
import type { Json } from "@narratoria/tool/json";
import type { AssetRecord, ErrorDetail } from "./execution-result.ts";
import type { Passage } from "./session-view.ts";
import { sizeOf } from "./state-size.ts";

/** Of one payload. */
export const MOST_SHOWN_BYTES = 64 * 1024;
/** Of one value in a consequence, a summary, a message. */
export const MOST_SHOWN_CHARACTERS = 4 * 1024;
/** Of all that tools put into one turn's page. */
export const MOST_PASSAGES = 2_000;
export const MOST_PAGE_BYTES = 1024 * 1024;

/** The value, or a note in its place. */
export function shownValue(value: Json, most: number): Json {
  const size = sizeOf(value);
  return size <= most ? value : `(${size} bytes, too many to be shown here: the log has them)`;
}

export function shownText(text: string): string {
  if (text.length <= MOST_SHOWN_CHARACTERS) return text;
  return `${text.slice(0, MOST_SHOWN_CHARACTERS).toWellFormed()}…`;
}

export function shownError({ details, ...error }: ErrorDetail): ErrorDetail {
  const isShown = details !== undefined && sizeOf(details) <= MOST_SHOWN_CHARACTERS;
  return { ...error, code: shownText(error.code), message: shownText(error.message), ...(isShown && { details }) };
}

export function shownAsset({ metadata, ...asset }: AssetRecord): AssetRecord {
  return { ...asset, ...(metadata && sizeOf(metadata) <= MOST_SHOWN_BYTES && { metadata }) };
}

/** Stands where more happened than a page can show. */
export function leftOut(toolId: string): Passage {
  const message = "more happened in this turn than can be shown here; the log has all of it";
  return { kind: "problem", toolId, code: LEFT_OUT, message };
}

export function isLeftOut(passage: Passage | undefined): boolean {
  return passage?.kind === "problem" && passage.code === LEFT_OUT;
}

const LEFT_OUT = "TOO_MUCH_TO_SHOW";

/** What a passage takes of its page; what the narrator tells is not counted. */
export function weightOf(passage: Passage): number {
  if (passage.kind === "text") return 0;
  const known = weights.get(passage);
  if (known !== undefined) return known;
  const weight = sizeOf(passage as Json);
  weights.set(passage, weight);
  return weight;
}

const weights = new WeakMap<Passage, number>();
