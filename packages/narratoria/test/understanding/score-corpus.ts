/** Types every sentence of the corpus at its moment, as a player would, and says what came of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inkTeller } from "../../src/narrators/ink-teller.ts";
import { readMemory, type InkMemory } from "../../src/narrators/ink-memory.ts";
import type { Suggester } from "../../src/narrators/suggester.ts";
import { describeQuestion, type TellerStory } from "../../src/narrators/teller.ts";
import { readCommand } from "../../src/narrators/understanding/commands.ts";
import { makeLexicon, type Lexicon } from "../../src/narrators/understanding/lexicon.ts";
import type { Narrator } from "../../src/runtime/seams/narrator.ts";
import { storyFileSchema } from "../../src/story/story-file.ts";
import { patchOf, STORY_DIR } from "../default-story.ts";
import { startSession, type Session } from "../narrator-session.ts";
import { corpusStoryDir } from "./play-choices.ts";
import { CORPUS_STORIES, readCorpusFile, type CorpusEntry, type CorpusStory, type Expected } from "./read-corpus.ts";

/** What a prompt did. */
export interface Outcome {
  done: string[];
  /** What the story asked about; empty when it did not ask. */
  asked: string[];
  /** The standing command that was answered. */
  command: string | null;
  text: string;
}

export type Verdict = "right" | "asked" | "refused" | "wrong deed" | "asked in vain";

export interface Scored {
  entry: CorpusEntry;
  outcome: Outcome;
  verdict: Verdict;
}

export async function scoreCorpus(story: CorpusStory, part: "open" | "kept", suggester?: Suggester): Promise<Scored[]> {
  const played = openStory(story, suggester);
  const moments = new Map<string, Promise<Session>>();
  const scored: Scored[] = [];
  for (const entry of readCorpusFile(story, part)) {
    const key = entry.path.join(" > ");
    const moment = moments.get(key) ?? played.playTo(entry.path);
    moments.set(key, moment);
    const outcome = await type(entry.sentence, (await moment).restored(), played.lexicon);
    scored.push({ entry, outcome, verdict: judge(entry.expected, outcome) });
  }
  return scored;
}

interface PlayedStory {
  lexicon: Lexicon;
  playTo(path: readonly string[]): Promise<Session>;
}

function openStory(name: CorpusStory, suggester?: Suggester): PlayedStory {
  const dir = corpusStoryDir(name);
  const file = storyFileSchema.parse(JSON.parse(readFileSync(join(dir, "story.json"), "utf8")));
  const mounts = [
    "torch-lighter",
    "door-examiner",
    "dice-roller",
    "bell-ringer",
    "slow-map",
    "flaky-lantern",
    "satchel",
    "acoustics",
  ];
  const language = file.language ?? "en";
  const story: TellerStory = {
    dir,
    title: file.title ?? "",
    description: file.description ?? null,
    narratorFile: "story.ink",
    synonyms: file.synonyms ?? {},
    voice: file.voice ?? {},
    language,
    mounts: dir === STORY_DIR ? mounts : [],
  };
  const prepared = inkTeller.prepare(story);
  if (prepared.kind === "invalid") throw new Error(JSON.stringify(prepared.problems));
  const tell = inkTeller.open(prepared.book, story);
  const narrator: Narrator = {
    next: async (question) => {
      const { wonder, ...answer } = tell(describeQuestion(question));
      const suggested = wonder === undefined ? [] : ((await suggester?.suggest(wonder)) ?? []);
      return suggested.length === 0 ? answer : tell({ ...describeQuestion(question), suggested });
    },
    close: () => Promise.resolve(),
  };
  const lexicon = makeLexicon(file.synonyms ?? {}, language);
  const playTo = async (path: readonly string[]): Promise<Session> => {
    const session = startSession(narrator, {
      state: file.state ?? {},
      fate: ({ toolPath, input }) => ({ patch: patchOf({ mount: toolPath, input }, { dice: () => 9 }) }),
    });
    await session.turn(null);
    for (const label of path) {
      const before = memoryOf(session).taken.length;
      await session.turn(label);
      const taken = memoryOf(session).taken.slice(before);
      if (taken.join() !== label) throw new Error(`"${label}" took ${JSON.stringify(taken)}`);
    }
    return session;
  };
  return { lexicon, playTo };
}

async function type(sentence: string, session: Session, lexicon: Lexicon): Promise<Outcome> {
  const before = memoryOf(session);
  const { text } = await session.turn(sentence);
  const after = memoryOf(session);
  const done = after.taken.slice(before.taken.length);
  const asked = after.asked.map((id) => after.choices.find((choice) => choice.id === id)?.label ?? "");
  const isStill = done.length === 0 && asked.length === 0;
  const command = isStill ? (readCommand(sentence, lexicon)?.name ?? null) : null;
  return { done, asked, command, text };
}

function memoryOf({ memory }: Session): InkMemory {
  const read = readMemory(memory);
  if (read === null) throw new Error("the story remembers nothing");
  return read;
}

function judge(expected: readonly Expected[], outcome: Outcome): Verdict {
  if (expected.some((one) => isRight(one, outcome))) return "right";
  if (isWrongDeed(expected, outcome)) return "wrong deed";
  if (outcome.asked.length === 0) return "refused";
  const isFair = expected.some(
    (one) => one.kind === "do" && one.choices.some((label) => outcome.asked.includes(label)),
  );
  return isFair ? "asked" : "asked in vain";
}

function isRight(expected: Expected, { done, asked, command, text }: Outcome): boolean {
  switch (expected.kind) {
    case "do":
      return done.join("+") === expected.choices.join("+");
    case "ask":
      return done.length === 0 && expected.choices.some((label) => asked.includes(label));
    case "refuse":
      return done.length === 0 && asked.length === 0;
    case "answer":
      return done.length === 0 && asked.length === 0 && command === expected.command;
    case "part":
      return done.join("+") === expected.choices.join("+") && text.includes(expected.notFollowed);
  }
}

/** Doing less than was wished, from its beginning on, is no wrong deed. */
function isWrongDeed(expected: readonly Expected[], { done }: Outcome): boolean {
  if (done.length === 0) return false;
  const wishes = expected.flatMap((one) => (one.kind === "do" || one.kind === "part" ? [one.choices] : []));
  return !wishes.some((choices) => done.every((label, index) => label === choices[index]));
}

export interface Figures {
  sentences: number;
  wrongDeeds: number;
  /** Those that should work: done or answered, and those at least asked about. */
  shouldWork: number;
  done: number;
  doneOrAsked: number;
  /** Those that should be refused, and a question asked all the same. */
  shouldRefuse: number;
  askedInVain: number;
  shouldAsk: number;
  askedRightly: number;
}

export function figuresOf(scored: readonly Scored[]): Figures {
  const kindOf = ({ entry }: Scored): Expected["kind"] | undefined => entry.expected[0]?.kind;
  const work = scored.filter((one) => ["do", "part", "answer"].includes(kindOf(one) ?? ""));
  const refuse = scored.filter((one) => kindOf(one) === "refuse");
  const ask = scored.filter((one) => kindOf(one) === "ask");
  const isDone = ({ outcome, verdict }: Scored): boolean => verdict === "right" && outcome.asked.length === 0;
  const isAsked = ({ outcome, verdict }: Scored): boolean =>
    outcome.asked.length > 0 && (verdict === "right" || verdict === "asked");
  return {
    sentences: scored.length,
    wrongDeeds: scored.filter(({ verdict }) => verdict === "wrong deed").length,
    shouldWork: work.length,
    done: work.filter(isDone).length,
    doneOrAsked: work.filter((one) => isDone(one) || isAsked(one)).length,
    shouldRefuse: refuse.length,
    askedInVain: refuse.filter(({ outcome, verdict }) => outcome.asked.length > 0 && verdict !== "right").length,
    shouldAsk: ask.length,
    askedRightly: ask.filter(({ verdict }) => verdict === "right").length,
  };
}

export async function scoreAll(part: "open" | "kept", suggester?: Suggester): Promise<Map<CorpusStory, Scored[]>> {
  const all = new Map<CorpusStory, Scored[]>();
  for (const story of CORPUS_STORIES) all.set(story, await scoreCorpus(story, part, suggester));
  return all;
}
