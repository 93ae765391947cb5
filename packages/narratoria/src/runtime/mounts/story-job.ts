/** One piece of work that a story's process does. `story-processes.ts` has it done. */

export interface Job<Args, Answer> {
  /** The module that exports it; both are found by `story-process.ts`. */
  module: URL;
  name: string;
  timeLimitMs: number;
  mostAnswerBytes: number;
  /** For the types alone: what goes in and what comes out, both JSON. */
  readonly signature?: (args: Args) => Answer;
}
