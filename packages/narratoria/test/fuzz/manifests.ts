/**
 * The files by which a story says what it is: `story.json`, manifests, front matters, a namel3ss project, fixed plans.
 * Each is put into a story's folder as the bytes that it is, and the folder read as `story-folder.ts` reads it.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { stubTeller } from "../../src/narrators/stub-teller.ts";
import { firstOf, readFolderHere, type StoryFolder } from "../../src/runtime/mounts/story-folder.ts";
import type { StoryProblem } from "../../src/runtime/mounts/story-problem.ts";
import { isInside, realLocation } from "../../src/runtime/mounts/real-location.ts";
import { MOST_LIMITS, type ToolLimits } from "../../src/runtime/seams/sandbox.ts";
import type { ResolvedTool } from "../../src/runtime/seams/resolved-tool.ts";
import { parsePointer } from "../../src/story/json-pointer.ts";
import { contractValidator } from "../contract-validators.ts";
import { damaged } from "../mutated-json.ts";
import {
  MANIFESTS,
  PACK_SEEDS,
  PACKS,
  STORY_FILES,
  STUB_PLANS,
  TOML_SEEDS,
  YAML_SEEDS,
  yamlOf,
  SKILL_SEEDS,
} from "./manifest-grammar.ts";
import { sometimesSpoiled, spoiled } from "./mutate-bytes.ts";
import { must, mustBeJson, mustBeWords, type FuzzTarget } from "./target.ts";

const DEFAULT_STORY = new URL("../../../../stories/the-lamp-under-the-hill/story.json", import.meta.url);

const json = (values: fc.Arbitrary<object>): fc.Arbitrary<Uint8Array> =>
  fc.oneof(values, damaged(values as never)).map((value) => Buffer.from(JSON.stringify(value)));

export const toolJson = folderTarget(
  "tools/it/tool.json",
  json(MANIFESTS),
  ['{"name":"it","kind":"tool","transport":{"type":"stdio","command":["./run"]},"capabilities":[]}'],
  true,
);
export const storyJson = folderTarget("story.json", json(STORY_FILES), [readFileSync(DEFAULT_STORY)]);
export const skillFrontMatter = folderTarget("skills/it/SKILL.md", yamlOf(MANIFESTS, true), SKILL_SEEDS, true);
export const namel3ssTools = folderTarget(".namel3ss/tools.yaml", yamlOf(MANIFESTS, false), YAML_SEEDS);
export const namel3ssPack = folderTarget(".namel3ss/packs/it/pack.yaml", PACKS, PACK_SEEDS, false, {
  "namel3ss.toml": '[tool_packs]\nenabled_packs = ["it"]\n',
});
export const namel3ssSettings = folderTarget("namel3ss.toml", spoiled(TOML_SEEDS), TOML_SEEDS);

export const stubPlans: FuzzTarget = {
  few: 300,
  open: async () => {
    const folder = makeFolder();
    return {
      inputs: fc.oneof({ weight: 3, arbitrary: sometimesSpoiled(json(STUB_PLANS)) }, spoiled(["[]"])),
      try: (input) => {
        writeFileSync(join(folder, "plans.json"), input);
        return readStub(folder);
      },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};

/** `decides`: the file is all there is, so something is mounted or something is wrong, with it or with those `besides`. */
function folderTarget(
  file: string,
  grammar: fc.Arbitrary<Uint8Array>,
  seeds: readonly (string | Uint8Array)[],
  decides = false,
  besides: Readonly<Record<string, string>> = {},
): FuzzTarget {
  return {
    few: 300,
    open: async () => {
      const folder = makeFolder();
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      mkdirSync(join(folder, "skills/it/scripts"), { recursive: true });
      writeFileSync(join(folder, "skills/it/scripts/run.sh"), "");
      for (const [name, text] of Object.entries(besides)) writeFileSync(join(folder, name), text);
      return {
        inputs: fc.oneof({ weight: 3, arbitrary: sometimesSpoiled(grammar) }, spoiled(seeds)),
        try: (input) => {
          writeFileSync(join(folder, file), input);
          return judgeFolder(readFolderHere(folder), folder, [file, ...Object.keys(besides)], decides);
        },
        close: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  };
}

function judgeFolder(read: StoryFolder, folder: string, files: readonly string[], decides: boolean): string {
  const { mounts, fileProblems, mountProblems } = read;
  const problems = [...fileProblems, ...mountProblems];
  // It comes out of a process, as JSON.
  mustBeJson({ ...read, mounts: [...mounts] }, "a folder");
  for (const problem of problems) checkProblem(problem, files);
  for (const [name, tool] of mounts) checkMount(name, tool, folder);
  if (decides) must(mounts.size + problems.length > 0, "nothing is mounted, and nothing is wrong");
  const [first] = problems;
  const wrong =
    first === undefined ? "fine" : `wrong at ${(first.pointer ?? "/").replaceAll(/\d+|(?<=tools\/)[^/]*/g, "N")}`;
  return `${mounts.size > 0 ? "mounted" : "no mount"}, ${wrong}`;
}

function checkProblem({ file, pointer, line, message }: StoryProblem, expected: readonly string[]): void {
  must(expected.includes(file), `a problem of ${expected.join(" or ")} is told of ${file}`);
  mustBeWords(message, "a problem");
  must(pointer === undefined || parsePointer(pointer) !== null, `${pointer} is no pointer`);
  must(line === undefined || (Number.isInteger(line) && line > 0), `there is no line ${line}`);
}

const fitsContract = contractValidator("module-descriptor");

function checkMount(name: string, tool: ResolvedTool, folder: string): void {
  const { skill, command, manifest, needs, limits } = tool;
  must(name === skill && name !== "", "a mount has two names");
  must(manifest !== null && fitsContract(manifest), "the contract refuses a manifest that was mounted");
  for (const limit of Object.keys(MOST_LIMITS) as (keyof ToolLimits)[]) {
    must(limits[limit] >= 1 && limits[limit] <= MOST_LIMITS[limit], `${limit} is ${limits[limit]}`);
  }
  const { url } = manifest.transport;
  if (url !== undefined) must(needs.includes("net.fetch") && URL.canParse(url), `${url} is called without asking`);
  const isPlayed = command[0] === "builtin:recorded";
  if (manifest.container !== undefined && !isPlayed)
    must(needs.includes(`exec.spawn:${manifest.container.image}`), "an image runs without asking");
  const [program, script = ""] = command;
  if (program === undefined || tool.source === "builtin_pack" || isPlayed) return;
  const isOwn = (path: string): boolean => isInside(realLocation(path), folder);
  const runsOwn = ["python3", "sh", process.execPath].includes(program) ? isOwn(script) : isOwn(program);
  must(runsOwn || needs.includes("exec.spawn"), `${command.join(" ")} runs without asking`);
}

function readStub(dir: string): string {
  const story = {
    dir,
    title: "T",
    description: null,
    narratorFile: "plans.json",
    synonyms: {},
    voice: {},
    language: "en",
    mounts: ["lamp"],
  };
  const prepared = stubTeller.prepare(story);
  if (prepared.kind === "invalid") {
    must(prepared.problems.length > 0, "nothing is wrong with plans that are refused");
    for (const problem of firstOf(prepared.problems)) checkProblem(problem, ["plans.json"]);
    return "refused";
  }
  const answer = stubTeller.open(prepared.book, story);
  const nothing = {
    choices: [],
    choiceId: null,
    memory: null,
    state: {},
    stateAtStart: {},
    disabledSkills: ["lamp"],
    seed: 7,
    plans: [],
  };
  const kinds = [null, "light the torch", ""].map((prompt) => {
    const told = answer({ ...nothing, prompt });
    mustBeJson(told, "an answer");
    return told.kind;
  });
  return `told: ${kinds.join(" ")}`;
}

function makeFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "narratoria-fuzz-")));
}
