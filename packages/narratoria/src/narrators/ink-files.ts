/** Reads an ink story's sources: the main file and what it includes. `ink-source-check.ts` and `compile-ink.ts` use them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isInside, realLocation } from "../runtime/mounts/real-location.ts";
import type { StoryProblem } from "../runtime/mounts/load-story.ts";

export interface InkFiles {
  main: string;
  /** By name as INCLUDE writes it: ink counts from the main file's folder. */
  texts: Map<string, string>;
  problems: StoryProblem[];
}

export function readInkFiles(dir: string, main: string): InkFiles {
  const files: InkFiles = { main, texts: new Map(), problems: [] };
  const pending: { name: string; from?: { file: string; line: number } }[] = [{ name: main }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { name, from } = next;
    if (files.texts.has(name)) continue;
    const reading = readInside(dir, name);
    if (reading.kind === "problem") {
      files.problems.push({ file: from?.file ?? name, line: from?.line ?? 1, message: reading.message });
      continue;
    }
    files.texts.set(name, reading.text);
    reading.text.split("\n").forEach((line, index) => {
      const included = /^\s*INCLUDE\s+(.+?)\s*$/.exec(line)?.[1];
      if (included !== undefined) pending.push({ name: included, from: { file: name, line: index + 1 } });
    });
  }
  return files;
}

function readInside(dir: string, name: string): { kind: "text"; text: string } | { kind: "problem"; message: string } {
  const path = realLocation(join(dir, name));
  if (!isInside(path, realLocation(dir))) return { kind: "problem", message: `${name} lies outside the story folder` };
  if (!existsSync(path)) return { kind: "problem", message: `${name} does not exist` };
  try {
    return { kind: "text", text: readFileSync(path, "utf8").replace(/^\uFEFF/, "") };
  } catch (error) {
    return {
      kind: "problem",
      message: `${name} cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`,
    };
  }
}
