/** `narratoria tools`: what is mounted in a story, what each mount asks for and was granted, and what could not be mounted. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { dataFolder } from "../data.ts";
import { covers, DEFAULT_STORY, describeMounts, type MountSummary, type StoryProblem } from "../index.ts";
import { shownPlain } from "../story/index.ts";
import { printDocument } from "./print-json.ts";
import { readPolicy } from "./read-policy.ts";
import { BAD_USAGE, complain, FAILURE, say } from "./say.ts";
import { clean } from "./terminal-text.ts";
import { wordsForProblem } from "./words-for-problem.ts";

export interface ToolsOptions {
  story?: string;
  data?: string;
  policy?: string;
  json?: boolean;
}

export async function toolsCommand(options: ToolsOptions): Promise<number> {
  const dir = resolve(options.story ?? DEFAULT_STORY);
  if (!existsSync(dir)) return complain(`there is no story folder ${dir}`, BAD_USAGE);
  const policy = await readPolicy(options.policy);
  if (policy.kind === "wrong") return complain(policy.message, BAD_USAGE);
  const { title, tools, problems } = await describeMounts(dir, dataFolder(options.data), policy.policy);
  if (options.json) await printDocument({ story: dir, tools, problems }, "indented");
  else say(...describe(title, tools, problems).map((line) => clean(line).replaceAll("\n", " ")));
  return problems.length === 0 ? 0 : FAILURE;
}

function describe(title: string, tools: readonly MountSummary[], problems: readonly StoryProblem[]): string[] {
  const width = Math.max(0, ...tools.map(({ name }) => shownPlain(name).length));
  return [
    `Mounted in ${title}:`,
    ...(tools.length === 0 ? ["  nothing"] : []),
    ...tools.map((tool) => describeTool(tool, width)),
    ...(problems.length === 0 ? [] : ["", "Not mounted:"]),
    ...problems.map((problem) => `  ${wordsForProblem(problem)}`),
  ];
}

function describeTool({ name, protocol, description, capabilities, grants }: MountSummary, width: number): string {
  const needs = capabilities.map(
    (needed) =>
      `${shownPlain(needed, 240)} (${grants.some((grant) => covers(grant, needed)) ? "granted" : "not granted"})`,
  );
  const what = [description, needs.length === 0 ? null : `needs ${needs.join(", ")}`].filter((text) => text !== null);
  return `  ${shownPlain(name).padEnd(width)}  ${protocol.padEnd(12)}  ${what.join("; ")}`.trimEnd();
}
