/**
 * Stories in ink. Tags: what the check of the sources lets pass is what ink hands over when it is played. Whole stories:
 * whatever the text, the story's process gives a book or the problems' lines, and a book can be told from.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { compileInk } from "../../src/narrators/compile-ink.ts";
import { readMemory } from "../../src/narrators/ink-memory.ts";
import { createInkPlayer } from "../../src/narrators/ink-play.ts";
import { checkInkSources } from "../../src/narrators/ink-source-check.ts";
import { isSceneTag, readChoiceTags, readEndingTag, readToolTag } from "../../src/narrators/ink-tags.ts";
import type { PrepareArgs, TellArgs, TellerReply } from "../../src/narrators/teller-jobs.ts";
import type { Preparation, TellerQuestion, TellerStory } from "../../src/narrators/teller.ts";
import { makeLexicon } from "../../src/narrators/understanding/lexicon.ts";
import type { Job } from "../../src/runtime/mounts/story-job.ts";
import { createStoryProcesses, type StoryProcesses } from "../../src/runtime/mounts/story-processes.ts";
import type { StoryProblem } from "../../src/runtime/mounts/story-problem.ts";
import { parsePlan } from "../../src/story/plan.ts";
import { hostileText } from "./hostile-pieces.ts";
import { sometimesSpoiled, spoiled } from "./mutate-bytes.ts";
import { must, mustBeJson, mustBeSame, mustBeWords, type FuzzTarget } from "./target.ts";

const word = fc.oneof(
  fc.constantFrom(
    "lamp1",
    "lamp",
    "key=1",
    'key="two words"',
    "after=a,b",
    "optional",
    "async",
    "operation=run",
    "__proto__=x",
    "k=-1.5e3",
    "k=true",
  ),
  hostileText,
);
const tags = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("tool: lamp1 lamp ", "Tool : lamp1 lamp ", "tool:") },
      fc.constantFrom("alias: ", "ending: ", "scene", "hidden", ""),
    ),
    fc.array(word, { maxLength: 5 }),
  )
  .map(([name, words]) => Buffer.from(`${name}${words.join(" ")}`));
const TAG_SEEDS = [
  'tool: light1 torch-lighter action=light_torch after=a,b optional name="Old Tom"',
  "alias: look, see | peer",
  "ending: Gone",
];

export const inkTags: FuzzTarget = {
  few: 400,
  open: async () => ({
    inputs: fc.oneof({ weight: 3, arbitrary: sometimesSpoiled(tags) }, spoiled(TAG_SEEDS, 2_000)),
    try: (input) => tryTag(input.toString("utf8")),
    close: async () => {},
  }),
};

function tryTag(tag: string): string {
  const reading = readToolTag(tag);
  mustBeJson([readChoiceTags([tag]), readEndingTag(tag), isSceneTag(tag)], "what a tag says");
  if (reading?.kind !== "tool") return reading === null ? "no tool" : "incomplete";
  const { tool, strayWords } = reading;
  mustBeJson(reading, "a tool's tag");
  must(tool.toolId !== "" && tool.mount !== "" && !tool.after.includes(""), "a name is empty");
  must(
    strayWords.every((word) => word.trim() !== ""),
    "a word of nothing",
  );
  if (/(?<!\\)#/.test(tag)) return "several tags";
  if (/[\r\n{}]/.test(tag)) return "a tool, of ink's own making";
  return `a tool, ${playTag(tag, tool)}`;
}

/** A story of one line with this tag: where the check says nothing, ink must hand over the tool as it was written. */
function playTag(tag: string, written: unknown): string {
  const source = `The lamp. # ${tag}\nIt burns.\n`;
  const texts = new Map([["story.ink", source]]);
  const problems = checkInkSources(texts, new Set([(written as { mount: string }).mount, "lamp"]));
  const known = problems.filter(({ message }) => !/no tool tag has the id/.test(message));
  for (const problem of problems) checkProblem(problem, source);
  if (known.length > 0) return "refused";
  const compiled = compileInk({ main: "story.ink", texts, problems: [] });
  if (compiled.kind === "invalid") {
    for (const problem of compiled.problems) checkProblem(problem, source);
    return "refused by ink";
  }
  const pass = createInkPlayer(
    compiled.json,
    makeLexicon({}),
  )({
    ink: null,
    prompt: null,
    taken: null,
    seen: [],
    seed: 1,
    outcomes: {},
    states: [{}],
    disabled: [],
    unknownState: "as it is",
  });
  must(pass.kind === "played", () => `it cannot be played: ${JSON.stringify(pass)}`);
  // Ink makes one blank of several, in quotes too.
  const meant = readToolTag(tag.replaceAll(/\\(.)/gu, "$1").replaceAll(/[ \t]+/g, " "));
  must(meant?.kind === "tool", "what was escaped was no tool");
  const met = pass.lines.flatMap(({ waiting }) => waiting);
  mustBeSame(met, [{ ...meant.tool, intent: 0 }], "the tool that was played and the one that was written");
  return "played";
}

const EXAMPLES = ["story", "landing", "tally-house", "shaft-foot", "endings"].map((name) =>
  readFileSync(new URL(`../../../../stories/the-lamp-under-the-hill/${name}.ink`, import.meta.url), "utf8"),
);
const STORY_SEEDS = [
  'EXTERNAL ok(id)\nA cellar.\n-> cellar\n=== cellar\n+ [Light the lamp # alias: lamp] You strike a match. # tool: lamp1 lamp name="a b" after=x\n  {ok("lamp1"): It burns.|It smokes.}\n* [Listen] You listen.\n+ [Leave] You leave. # ending: Gone\n  -> END\n- -> cellar\n=== function ok(id)\n~ return true\n',
  "VAR x = 1\nLIST moods = calm, (wild)\n{x > 0: One.|Two.} {~a|b} # scene\n* {x == 1} [Go] {moods} -> far\n* -> END\n== far ==\n~ x = x + RANDOM(1, 6)\n<- side\n{x:\n- 1: one\n- else: other <>\n}\n->->\n== side\nAside. -> DONE\n",
  ...EXAMPLES.map((text) => text.slice(0, 3_000)),
];

/** Short of what the app allows: a story that hangs is not what is looked for. */
const LIMITS = {
  module: new URL("../../src/narrators/ink-jobs.ts", import.meta.url),
  timeLimitMs: 3_000,
  mostAnswerBytes: 4 * 1024 * 1024,
};
const PREPARE: Job<PrepareArgs, Preparation> = { ...LIMITS, name: "prepare" };
const TELL: Job<TellArgs, TellerReply> = { ...LIMITS, name: "tell" };

export const inkStories: FuzzTarget = {
  few: 40,
  open: async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-fuzz-")));
    const processes = createStoryProcesses();
    return {
      inputs: spoiled(STORY_SEEDS, 8_000),
      try: (input) => {
        writeFileSync(join(dir, "story.ink"), input);
        return tryStory(processes, dir, input);
      },
      close: async () => {
        processes.close();
        rmSync(dir, { recursive: true, force: true });
      },
    };
  },
};

async function tryStory(processes: StoryProcesses, dir: string, input: Buffer): Promise<string> {
  const story: TellerStory = {
    dir,
    title: "T",
    description: null,
    narratorFile: "story.ink",
    synonyms: {},
    voice: {},
    language: "en",
    mounts: ["lamp", "torch-lighter"],
  };
  const prepared = await processes.run(PREPARE, { story }, { key: dir });
  if (prepared.kind === "lost") return lost(prepared.message);
  if (prepared.answer.kind === "invalid") {
    must(prepared.answer.problems.length > 0, "a story is refused for nothing");
    const source = input.toString("utf8");
    for (const problem of prepared.answer.problems) checkProblem(problem, source);
    return "refused";
  }
  const opened = { book: prepared.answer.book, story };
  const id = `${dir} ${++tellings}`;
  const ask = async (question: Partial<TellerQuestion>): Promise<TellerReply | string> => {
    const told = await processes.run(TELL, { id, opened, question: { ...NO_TURN, ...question } }, { key: dir });
    return told.kind === "lost" ? lost(told.message) : told.answer;
  };
  const first = await ask({ prompt: null });
  if (typeof first === "string") return `a book, ${first}`;
  mustBeSame(await ask({ prompt: null }), first, "two tellings of a story");
  const memory = checkTelling(first);
  if (memory === null) return "a book, a plan";
  const second = await ask({ prompt: "1", memory: memory as never });
  if (typeof second === "string") return `a book, told, ${second}`;
  checkTelling(second);
  return "a book, told twice";
}

let tellings = 0;
const NO_TURN: TellerQuestion = {
  prompt: null,
  choiceId: null,
  memory: null,
  choices: [],
  seed: 7,
  state: {},
  stateAtStart: {},
  disabledSkills: [],
  plans: [],
};

/** What is to be remembered; null when the answer is a plan. */
function checkTelling(telling: TellerReply): unknown {
  must(telling.kind === "told", "the story is not open");
  const { answer } = telling;
  if (answer.kind === "plan") {
    // It may be refused, with reasons; it is a plan in any case.
    const reading = parsePlan(answer.plan, new Set(["lamp"]));
    must(reading.kind === "plan" || reading.problems.every(({ message }) => message !== ""), "a plan that is none");
    return null;
  }
  must(typeof answer.narrative === "string" && Array.isArray(answer.choices), "an end without words or choices");
  must("failure" in answer || readMemory(answer.memory ?? null) !== null, "what is remembered cannot be read");
  return answer.memory;
}

/** Time and memory are a story's to waste; a thrown exception is ours. */
function lost(message: string): string {
  must(/took longer|came to more|its process ended/.test(message), `the story's process threw: ${message}`);
  return message.replaceAll(/\d+/g, "N");
}

function checkProblem({ file, line, message }: StoryProblem, source: string): void {
  mustBeWords(message, "a problem");
  must(typeof file === "string" && file !== "", "a problem of no file");
  const lines = source.split("\n").length;
  must(
    line === undefined || (line >= 1 && (file !== "story.ink" || line <= lines + 1)),
    `there is no line ${line} of ${lines}`,
  );
}
