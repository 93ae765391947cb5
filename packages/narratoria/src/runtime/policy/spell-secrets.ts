/**
 * The spellings in which a secret is looked for: as it is, and as programs write it without meaning harm, escaped for
 * JSON, addresses and HTML, in hexadecimal digits, in base64, a line at a time. `secrets.ts` takes them out of text,
 * `secrets-in-assets.ts` refuses bytes that hold one. What else a tool does to a value nobody can find.
 */
import { Buffer } from "node:buffer";

export interface Spelling {
  readonly text: string;
  /** What of its beginning or end counts as a part of it, where a text was cut. */
  readonly shortestPart: number;
}

/** Shorter ones than these turn up by chance. */
const SHORTEST_SPELLING = 7;
const SHORTEST_LINE = 16;
const SHORTEST_PART = 4;
const SHORTEST_SPELLED_PART = 12;

/** The longest first: nothing of one must remain because another was found in it. */
export function spellingsOf(values: readonly string[]): Spelling[] {
  const plain = values.flatMap((value) => [value, ...linesOf(value)]);
  const spelled = values.flatMap((value) => [
    ...escaped(value),
    ...plain.flatMap((line) => [jsonOf(line)]),
    ...inHexadecimal(value),
    ...inBase64(value),
  ]);
  const found = new Map<string, Spelling>();
  for (const text of spelled)
    if (text.length >= SHORTEST_SPELLING) found.set(text, { text, shortestPart: SHORTEST_SPELLED_PART });
  for (const text of plain) if (text !== "") found.set(text, { text, shortestPart: SHORTEST_PART });
  return [...found.values()].toSorted((one, other) => other.text.length - one.text.length);
}

/** A key in several lines is printed a line at a time as often as not. */
function linesOf(value: string): string[] {
  const lines = value.split(/\r?\n/);
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= SHORTEST_LINE);
}

function jsonOf(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function escaped(value: string): string[] {
  const json = jsonOf(value);
  const ascii = json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const bytes = hexPairs(value);
  const percent = encodeURIComponent(value.toWellFormed());
  const strict = percent.replaceAll(/[!'()*~]/g, (sign) => `%${hexPairs(sign).join("").toUpperCase()}`);
  const html = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [
    ...[json, ascii, json.replaceAll("/", "\\/")],
    ...[percent, strict, encodeURI(value.toWellFormed()), strict.replaceAll("%20", "+"), withLowerCase(percent)],
    ...[bytes.map((pair) => `%${pair}`).join(""), bytes.map((pair) => `\\x${pair}`).join("")],
    ...[html, html.replaceAll('"', "&quot;").replaceAll("'", "&#39;"), html.replaceAll("'", "&#x27;")],
  ];
}

function withLowerCase(percent: string): string {
  return percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

function hexPairs(value: string): string[] {
  return [...Buffer.from(value)].map((byte) => byte.toString(16).padStart(2, "0"));
}

function inHexadecimal(value: string): string[] {
  const pairs = hexPairs(value);
  return ["", " ", ":"].map((between) => pairs.join(between)).flatMap((text) => [text, text.toUpperCase()]);
}

/** Where most programs break long lines. */
const BASE64_COLUMNS = [64, 76];

/** In the middle of other bytes it is spelled in one of three ways, but for a character at either end. */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const spelled = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)];
    return text.slice(from, to);
  });
  const [whole = ""] = spelled;
  const pieces = BASE64_COLUMNS.filter((columns) => whole.length > columns).flatMap(
    (columns) => whole.match(new RegExp(`.{${SHORTEST_LINE},${columns}}`, "g")) ?? [],
  );
  return [...spelled, ...pieces].flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]);
}
