/** A piece of work on what a story says, for a process of its own. `story-processes.ts` has it done. */
export interface Job<Args, Answer> {
  /** The module that exports it; both are found by `story-process.ts`. */
  module: URL;
  name: string;
  timeLimitMs: number;
  mostAnswerBytes: number;
  /** For the types alone: what goes in and what comes out, both JSON. */
  readonly signature?: (args: Args) => Answer;
}
