/** What is wrong with a story, in a line that begins with its place. */
import type { StoryProblem } from "../index.ts";

export function wordsForProblem({ file, pointer = "", line, message }: StoryProblem): string {
  const place = pointer === "" ? (line === undefined ? file : `${file}:${line}`) : `${file} ${pointer}`;
  return `${place}: ${message}`;
}
