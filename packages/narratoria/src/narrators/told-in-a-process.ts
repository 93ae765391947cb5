/**
 * A narrator whose teller (`teller.ts`) runs in a story's process: this end asks, and says something kind to the player
 * when the process is lost over the question. What went wrong is in the answer, for the log.
 */
import { randomUUID } from "node:crypto";
import type { NarratorKind, NarratorOpening, Story } from "../runtime/mounts/load-story.ts";
import { storyProcesses } from "../runtime/mounts/story-processes.ts";
import type { Job } from "../runtime/mounts/story-job.ts";
import type { Narrator, NarratorAnswer, NarratorQuestion } from "../runtime/seams/narrator.ts";
import type { PrepareArgs, TellArgs, TellerReply } from "./teller-jobs.ts";
import type { Suggester } from "./suggester.ts";
import {
  describeQuestion,
  describeStory,
  type Preparation,
  type TellerAnswer,
  type TellerQuestion,
  type TellerStory,
} from "./teller.ts";

export interface ToldInAProcess {
  defaultFile: string;
  /** Exports `prepare` and `tell`, as `teller-jobs.ts` makes them. */
  jobs: URL;
  /** Who knows what is near in meaning, where somebody does. */
  suggester?: Suggester | undefined;
  /** How long one question may take, waiting for a process not counted. */
  timeLimitMs: number;
  /** What the player is told when there is no answer. */
  stumble(question: NarratorQuestion, story: TellerStory): NarratorAnswer;
}

const PREPARE_MS = 30_000;
/** What the host keeps of a story: ink, compiled, is about three times its source. */
const MOST_BOOK_BYTES = 64 * 1024 * 1024;
/** The text of a turn and all that is remembered of it. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

export function toldInAProcess(how: ToldInAProcess): NarratorKind {
  const { jobs: module, timeLimitMs } = how;
  const prepare: Job<PrepareArgs, Preparation> = {
    module,
    name: "prepare",
    timeLimitMs: PREPARE_MS,
    mostAnswerBytes: MOST_BOOK_BYTES,
  };
  const tell: Job<TellArgs, TellerReply> = { module, name: "tell", timeLimitMs, mostAnswerBytes: MOST_ANSWER_BYTES };

  async function open(story: Story, signal: AbortSignal): Promise<NarratorOpening> {
    const described = describeStory(story);
    const outcome = await storyProcesses.run(prepare, { story: described }, { key: story.dir, signal });
    if (outcome.kind === "lost") {
      const message = `the story could not be read: ${outcome.message}`;
      return { kind: "invalid", problems: [{ file: story.narratorFile, message }] };
    }
    if (outcome.answer.kind === "invalid") return outcome.answer;
    return { kind: "narrator", narrator: narrate({ book: outcome.answer.book, story: described }) };
  }

  function narrate(opened: NonNullable<TellArgs["opened"]>): Narrator {
    const id = randomUUID();
    const key = opened.story.dir;
    return {
      next: async (question, _stage, signal) => {
        const asked = describeQuestion(question);
        const { wonder, ...answer } = await ask(asked);
        const suggested = wonder === undefined ? [] : ((await how.suggester?.suggest(wonder, signal)) ?? []);
        if (suggested.length === 0) return answer;
        const { wonder: _, ...other } = await ask({ ...asked, suggested });
        return other;

        async function ask(told: TellerQuestion): Promise<TellerAnswer> {
          const args = { id, question: told };
          let outcome = await storyProcesses.run(tell, { ...args, opened: null }, { key, signal });
          if (outcome.kind === "answer" && outcome.answer.kind === "not_open") {
            outcome = await storyProcesses.run(tell, { ...args, opened }, { key, signal });
          }
          if (outcome.kind === "answer" && outcome.answer.kind === "told") return outcome.answer.answer;
          const failure = outcome.kind === "lost" ? outcome.message : "the story could not be opened";
          return { ...how.stumble(question, opened.story), failure };
        }
      },
      // The processes are everybody's.
      close: () => Promise.resolve(),
    };
  }
  return { defaultFile: how.defaultFile, open };
}
