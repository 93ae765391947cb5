/**
 * Finds what ink would accept and then silently do wrong, on the source, with file and line. `compile-ink.ts` reports
 * what ink itself refuses.
 */
import type { StoryProblem } from "../runtime/mounts/story-problem.ts";
import { readToolTag, type ToolTag } from "./ink-tags.ts";

/** Functions that a story may declare as EXTERNAL; `ink-play.ts` answers them. */
const INK_FUNCTIONS: readonly string[] = ["ok", "state", "summary", "prompt"];

export function checkInkSources(texts: ReadonlyMap<string, string>, mounts: ReadonlySet<string>): StoryProblem[] {
  const sources = [...texts].map(([file, text]) => ({ file, lines: withoutComments(text).split("\n") }));
  const allTags = sources.flatMap(({ lines }) => lines.flatMap(toolTagsOf)).flatMap(staticTool);
  const knownIds = new Set(allTags.map(({ toolId }) => toolId));
  // An id made by ink cannot be known here, so it cannot be missed either.
  const idsAreFixed = !allTags.some(({ toolId }) => toolId.includes("{"));
  const ownFunctions = new Set(sources.flatMap(({ lines }) => lines.flatMap(functionNameOf)));
  return sources.flatMap(({ file, lines }) =>
    lines.flatMap((line, index) =>
      [
        ...toolTagsOf(line).flatMap((tag) => checkToolTag(tag, mounts, idsAreFixed ? knownIds : null)),
        ...checkToolLine(line),
        ...checkChoiceLine(line),
        ...checkExternal(line, ownFunctions),
      ].map((message) => ({ file, line: index + 1, message })),
    ),
  );
}

function checkToolTag(tag: string, mounts: ReadonlySet<string>, knownIds: ReadonlySet<string> | null): string[] {
  const problems: string[] = [];
  if (/\{\s*(?:\}|"[^"]*"\s*:)/.test(tag)) problems.push("braces in a tool tag are ink's: write key=value, not JSON");
  if (tag.includes("//")) problems.push("`//` in a tool tag begins a comment: ink drops the rest of the line");
  if (tag.includes("/*")) problems.push("`/*` in a tool tag begins a comment: ink drops everything behind it");
  if (tag.includes("<>")) problems.push("`<>` in a tool tag is glue: ink drops it and joins the next line");
  if (tag.includes("->"))
    problems.push("`->` behind a tool tag joins the next text to this line: put it on its own line");
  if (/[^\s\\]#/.test(tag) || hasOpenQuote(tag)) problems.push("`#` in a tool tag begins another tag: write \\#");
  if (NEEDLESS_ESCAPE.test(tag.replaceAll("\\\\", "")))
    problems.push("`\\` in a tool tag is dropped, or joins the next line: write \\\\");
  if (problems.length > 0) return problems;
  const reading = readToolTag(tag);
  if (reading === null) return [];
  if (reading.kind === "incomplete") return ["a tool tag is `# tool: ID MOUNT key=value ...`"];
  const { mount, after } = reading.tool;
  if (!mount.includes("{") && !mounts.has(mount)) problems.push(`no tool named ${mount} is mounted${known(mounts)}`);
  for (const id of after) {
    if (knownIds !== null && !id.includes("{") && !knownIds.has(id))
      problems.push(`after=${id}: no tool tag has the id ${id}`);
  }
  for (const word of reading.strayWords)
    problems.push(`"${word}" is neither key=value nor optional nor async; quote values with blanks`);
  return problems;
}

/** Before what means something to ink a backslash takes that meaning away; elsewhere it only vanishes. */
const NEEDLESS_ESCAPE = /\\(?![#{}|~<>/[\]-])/;

/** A lone tag belongs to the line that follows it, and that line is evaluated before the tool has run. */
function checkToolLine(line: string): string[] {
  return /^[\s\-*+]*#\s*tool\s*:/i.test(line)
    ? ["a tool tag needs text on its own line: ink gives a lone tag to the next line"]
    : [];
}

function checkChoiceLine(line: string): string[] {
  if (!/^\s*[*+]/.test(line)) return [];
  if (/#\s*alias\s*:[^#\]]*(?<!\\)\|/i.test(line))
    return ["`|` cannot stand in an alias tag: separate aliases with commas"];
  const misplaced = /\].*#\s*(alias\s*:|(?:hidden|any|exact)\b(?!\s*:))/i.exec(line)?.[1];
  if (misplaced === undefined) return [];
  return [
    `the tag ${misplaced.replace(/\s*:/, "")} of a choice must stand inside its brackets, or it belongs to the text`,
  ];
}

function checkExternal(line: string, ownFunctions: ReadonlySet<string>): string[] {
  const name = /^\s*EXTERNAL\s+(\w+)/.exec(line)?.[1];
  if (name === undefined || INK_FUNCTIONS.includes(name) || ownFunctions.has(name)) return [];
  return [`EXTERNAL ${name}: only ${INK_FUNCTIONS.join(", ")} are known; others need an ink function of the same name`];
}

function functionNameOf(line: string): string[] {
  const name = /^\s*==+\s*function\s+(\w+)/.exec(line)?.[1];
  return name === undefined ? [] : [name];
}

/** The tool tags of a source line, without their `#`: each up to the next tag, a closing bracket or the line's end. */
function toolTagsOf(line: string): string[] {
  return [...line.matchAll(/(?<!\\)#\s*(tool\s*:(?:(?!\s#)[^\n])*)/gi)].map(([, tag = ""]) => untilClosed(tag).trim());
}

/** A tag may stand inside `{condition: text # tag}`: the brace that closes the condition is none of the tag. */
function untilClosed(tag: string): string {
  let depth = 0;
  for (let index = 0; index < tag.length; index++) {
    if (tag[index] === "{") depth++;
    else if (tag[index] === "}" && --depth < 0) return tag.slice(0, index);
    else if (tag[index] === "|" && depth === 0) return tag.slice(0, index);
  }
  return tag;
}

function staticTool(tag: string): ToolTag[] {
  const reading = readToolTag(tag);
  return reading?.kind === "tool" ? [reading.tool] : [];
}

function hasOpenQuote(tag: string): boolean {
  return (tag.match(/"/g) ?? []).length % 2 === 1;
}

function known(mounts: ReadonlySet<string>): string {
  return mounts.size === 0 ? "" : ` (there are: ${[...mounts].toSorted().join(", ")})`;
}

/** Blanks out comments and keeps the lines; a `//` behind a tool tag stays, as it is no comment the author meant. */
function withoutComments(text: string): string {
  const blank = (comment: string): string => comment.replace(/[^\n]/g, " ");
  return text
    .replace(/\/\*[\s\S]*?\*\//g, blank)
    .split("\n")
    .map((line) => line.replace(/\r$/, ""))
    .map((line) => (/#\s*tool\s*:.*\/\//i.test(line) ? line : line.replace(/\/\/.*$/, blank)))
    .join("\n");
}
