/** Reads an ink story's sources: the main file and what it includes. `ink-source-check.ts` and `compile-ink.ts` use them. */
import type { StoryProblem } from "../runtime/mounts/story-problem.ts";
import { MOST_BYTES, readStoryText } from "../runtime/mounts/story-text.ts";

export interface InkFiles {
  main: string;
  /** By name as INCLUDE writes it: ink counts from the main file's folder. */
  texts: Map<string, string>;
  problems: StoryProblem[];
}

const MOST_FILES = 1_000;

export function readInkFiles(dir: string, main: string): InkFiles {
  const files: InkFiles = { main, texts: new Map(), problems: [] };
  const pending: { name: string; from?: { file: string; line: number } }[] = [{ name: main }];
  let bytesLeft: number = MOST_BYTES.ink;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { name, from } = next;
    if (files.texts.has(name)) continue;
    const refuse = (message: string): void => {
      files.problems.push({ file: from?.file ?? name, line: from?.line ?? 1, message });
    };
    if (files.texts.size >= MOST_FILES) {
      refuse(`the story is made of more than ${MOST_FILES} ink files; join some`);
      break;
    }
    const reading = readStoryText(dir, name, bytesLeft);
    if (reading.kind !== "text") {
      refuse(`${name} ${reading.kind === "missing" ? "does not exist" : reading.why}`);
      continue;
    }
    bytesLeft -= Buffer.byteLength(reading.text);
    files.texts.set(name, reading.text);
    reading.text.split("\n").forEach((line, index) => {
      const included = /^\s*INCLUDE\s+(.+?)\s*$/.exec(line)?.[1];
      if (included !== undefined) pending.push({ name: included, from: { file: name, line: index + 1 } });
    });
  }
  return files;
}
