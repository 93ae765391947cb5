/** `narratoria tools`: what is mounted in a story, what each mount asks for and was granted, and what could not be mounted. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { DEFAULT_STORY } from "../create-narratoria.ts";
import { NOTHING_KNOWN } from "../runtime/mounts/mount-health.ts";
import type { StoryProblem } from "../runtime/mounts/story-problem.ts";
import { mountSummaries, type MountSummary } from "../runtime/policy/mount-summaries.ts";
import { readStoryFolder } from "../runtime/mounts/story-folder.ts";
import { createPermissions } from "../runtime/policy/permissions.ts";
import { covers } from "../runtime/policy/policy.ts";
import { createToolContents } from "../runtime/policy/tool-content.ts";
import { DATA_FILES } from "../stores/data-folder-check.ts";
import { createGrantFile } from "../stores/grant-file.ts";
import { shownPlain } from "../story/shown-name.ts";
import { dataFolder } from "./data-folder.ts";
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
  const data = dataFolder(options.data);
  const permissions = createPermissions({
    policy: policy.policy,
    policyHoldsFor: () => true,
    contents: createToolContents([data]),
    keeper: createGrantFile(join(data, DATA_FILES.grants)),
    // Nothing runs here.
    level: "full",
    allowUnconfined: false,
    mayAsk: false,
  });

  const { file, fileProblems, mounts, mountProblems } = await readStoryFolder(dir);
  const tools = mountSummaries({ dir, mounts }, permissions, NOTHING_KNOWN);
  const problems: StoryProblem[] = [...fileProblems, ...mountProblems];
  if (options.json) await printDocument({ story: dir, tools, problems }, "indented");
  else say(...describe(file.title ?? dir, tools, problems).map((line) => clean(line).replaceAll("\n", " ")));
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
