/** A teller's questions as jobs of a story's process. `told-in-a-process.ts` sends them. */
import { firstOf } from "../runtime/mounts/story-folder.ts";
import type { Preparation, Teller, TellerAnswer, TellerQuestion, TellerStory } from "./teller.ts";

export interface TellerJobs {
  prepare(args: PrepareArgs): Preparation;
  tell(args: TellArgs): TellerReply;
}

export interface PrepareArgs {
  story: TellerStory;
}

export interface TellArgs {
  /** Names one reading of a story: read anew, it is another. */
  id: string;
  question: TellerQuestion;
  /** Sent when this process does not have it open. */
  opened: { book: string; story: TellerStory } | null;
}

export type TellerReply = { kind: "told"; answer: TellerAnswer } | { kind: "not_open" };

/** A host tells few stories at a time; what is open takes memory. */
const MOST_OPEN = 8;

export function createTellerJobs(teller: Teller): TellerJobs {
  const open = new Map<string, (question: TellerQuestion) => TellerAnswer>();

  function find({ id, opened }: TellArgs): ((question: TellerQuestion) => TellerAnswer) | null {
    const found = open.get(id) ?? (opened === null ? null : teller.open(opened.book, opened.story));
    if (found === null) return null;
    // Put last, so that the first is the one not asked for the longest time.
    open.delete(id);
    open.set(id, found);
    const [oldest] = open.keys();
    if (open.size > MOST_OPEN && oldest !== undefined) open.delete(oldest);
    return found;
  }

  return {
    prepare: ({ story }) => {
      const prepared = teller.prepare(story);
      return prepared.kind === "book" ? prepared : { kind: "invalid", problems: firstOf(prepared.problems) };
    },
    tell: (args) => {
      const ask = find(args);
      return ask === null ? { kind: "not_open" } : { kind: "told", answer: ask(args.question) };
    },
  };
}
