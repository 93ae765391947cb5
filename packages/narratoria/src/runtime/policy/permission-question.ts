/** The question whether a tool may have what it needs, worded so that no name, path or description can reword it. */
import { splitCapability } from "../../story/capabilities.ts";
import { wordsForCapability } from "../../story/capability-words.ts";
import { shownName, shownPath, shownPlain } from "../../story/shown-name.ts";
import type { Question } from "../seams/player.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { COMMAND, MANIFEST, type ToolContent } from "./tool-content.ts";

export interface AskedFor {
  tool: ResolvedTool;
  toolId: string;
  /** Paths among them lead where they really lead. */
  capabilities: readonly string[];
  content: ToolContent;
  /** The parts that are others since it was allowed; none when it never was. */
  changes: readonly string[];
}

export function questionFor({ tool, toolId, capabilities, content, changes }: AskedFor): Question {
  // What opens most stands first: a long list of small wishes hides nothing.
  const weightiestFirst = capabilities.toSorted((one, other) => weightOf(other) - weightOf(one));
  const wishes = weightiestFirst.map((capability) => wishFor(capability, tool));
  const name = shownName(tool.skill);
  const reasons = [
    ...(changes.length === 0 ? [] : [wordsForChanges(changes)]),
    ...(tool.manifest?.description === undefined
      ? []
      : [`It says of itself: ${shownName(tool.manifest.description, 300)}`]),
    ...(content.kind === "content" ? [] : [`It can only be allowed this time: it ${shownPlain(content.why, 200)}.`]),
  ];
  return {
    toolId,
    question:
      wishes.length === 1 ? `The tool ${name} asks to ${wishes[0]}.` : `The tool ${name} asks to\n${asList(wishes)}`,
    reason: reasons.length === 0 ? null : reasons.join("\n"),
    answers: [
      { value: "once", label: "Allow this time" },
      ...(content.kind === "content" ? [{ value: "always", label: "Always allow" }] : []),
      { value: "no", label: "Don't allow" },
    ],
  };
}

function wishFor(capability: string, { command }: ResolvedTool): string {
  const words = wordsForCapability(capability);
  // Who allows a program to run must see which.
  return capability === "exec.spawn" ? `${words}: ${command.map((part) => shownPath(part)).join(" ")}` : words;
}

const LIGHTEST_FIRST = ["net.bind", "fs.read", "secrets.read", "net.fetch", "fs.write", "exec.spawn"];

function weightOf(capability: string): number {
  return LIGHTEST_FIRST.indexOf(splitCapability(capability)[0]);
}

function asList(wishes: readonly string[]): string {
  return wishes.map((wish, index) => `${index + 1}. ${wish}`).join("\n");
}

const MOST_NAMED = 3;

function wordsForChanges(changes: readonly string[]): string {
  const files = changes.filter((part) => part !== MANIFEST && part !== COMMAND);
  const named = files.slice(0, MOST_NAMED).map((file) => shownPath(file));
  const rest = files.length > MOST_NAMED ? [`${files.length - MOST_NAMED} more`] : [];
  const what = [
    ...(changes.includes(MANIFEST) ? ["its manifest"] : []),
    ...(changes.includes(COMMAND) ? ["its command"] : []),
    ...named,
    ...rest,
  ];
  return `Its program changed since you allowed it: ${what.join(", ")}.`;
}
