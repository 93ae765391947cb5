/** What the tags of an ink line and an ink choice mean to us. `ink-play.ts` meets them; `ink-source-check.ts` checks them. */
import type { Json, JsonObject } from "@narratoria/tool/json";

export interface ToolTag {
  toolId: string;
  mount: string;
  operation: string | null;
  input: JsonObject;
  after: string[];
  optional: boolean;
  async: boolean;
}

/** What else stood in the tag: words that are neither `key=value` nor known. */
export type ToolTagReading = { kind: "tool"; tool: ToolTag; strayWords: string[] } | { kind: "incomplete" };

/** The tag without its `#`, as ink gives it; null when it is no tool tag. */
export function readToolTag(tag: string): ToolTagReading | null {
  const body = afterName(tag, "tool");
  if (body === null) return null;
  const [toolId, mount, ...words] = splitWords(body);
  if (toolId === undefined || mount === undefined) return { kind: "incomplete" };
  const tool: ToolTag = { toolId, mount, operation: null, input: {}, after: [], optional: false, async: false };
  const strayWords: string[] = [];
  let latestKey: string | null = null;
  for (const word of words) {
    const [, key, value] = /^([^=\s"]+)=(.*)$/s.exec(word) ?? [];
    if (key !== undefined && value !== undefined) {
      latestKey = readSetting(tool, key, value) ? null : key;
    } else if (word === "optional" || word === "async") {
      tool[word] = true;
      latestKey = null;
    } else {
      strayWords.push(word);
      // An ink variable may have brought several words: `name={who}` gives `name=Old Tom`.
      if (latestKey !== null) tool.input[latestKey] = `${inWords(tool.input[latestKey])} ${word}`;
    }
  }
  return { kind: "tool", tool, strayWords };
}

/** True when the key is one of ours; every other key is input of the tool. */
function readSetting(tool: ToolTag, key: string, value: string): boolean {
  if (key === "after") tool.after = value.split(",").filter((id) => id !== "");
  else if (key === "operation") tool.operation = unquote(value);
  else {
    // Not by assignment alone: a key named __proto__ is an ordinary key.
    Object.defineProperty(tool.input, key, {
      value: readScalar(value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
    return false;
  }
  return true;
}

export interface ChoiceTags {
  aliases: string[];
  /** No button. */
  hidden: boolean;
  /** Takes whatever was typed and is not understood otherwise; no button either, for it wants words. */
  isAny: boolean;
  /** Wants its very words. */
  isExact: boolean;
}

export function readChoiceTags(tags: readonly string[]): ChoiceTags {
  const plainTags = new Set(tags.map((tag) => tag.trim().toLowerCase()));
  const isAny = plainTags.has("any");
  return {
    aliases: tags
      .flatMap((tag) => (afterName(tag, "alias") ?? "").split(/[,;|]/))
      .map((alias) => alias.trim())
      .filter((alias) => alias !== ""),
    hidden: isAny || plainTags.has("hidden"),
    isAny,
    isExact: plainTags.has("exact"),
  };
}

/** The ending's name, or null when the tag is none. */
export function readEndingTag(tag: string): string | null {
  return afterName(tag, "ending");
}

/** What is said to those who ask for a hint, from this line on. */
export function readHintTag(tag: string): string | null {
  return afterName(tag, "hint");
}

export function isSceneTag(tag: string): boolean {
  return /^scene(?:\s*:.*)?$/is.test(tag.trim());
}

function afterName(tag: string, name: string): string | null {
  const [head = "", ...rest] = tag.split(":");
  return rest.length > 0 && head.trim().toLowerCase() === name ? rest.join(":").trim() : null;
}

/** Words are separated by blanks; quotes keep blanks together, and on the source so do ink's braces. */
function splitWords(text: string): string[] {
  return text.match(/(?:[^\s"{]|"[^"]*"?|\{[^}]*\}?)+/g) ?? [];
}

function readScalar(text: string): Json {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) {
    const number = Number(text);
    if (Number.isFinite(number)) return number;
  }
  return unquote(text);
}

function inWords(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function unquote(text: string): string {
  return text.replaceAll('"', "");
}
