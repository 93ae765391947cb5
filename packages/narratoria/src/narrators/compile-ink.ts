/** Compiles ink sources to ink's JSON, once per story. `ink-play.ts` plays what comes out. */
// Not "inkjs/full": its types do not resolve in Node's module resolution.
import { Compiler, CompilerOptions } from "inkjs/compiler/Compiler";
import { ErrorType } from "inkjs/engine/Error";
import type { StoryProblem } from "../runtime/mounts/story-problem.ts";
import type { InkFiles } from "./ink-files.ts";

export type InkCompilation = { kind: "compiled"; json: string } | { kind: "invalid"; problems: StoryProblem[] };

export function compileInk({ main, texts }: InkFiles): InkCompilation {
  const problems: StoryProblem[] = [];
  const onError = (message: string, type: number): void => {
    if (type === (ErrorType.Error as number)) problems.push(readCompilerMessage(message, main));
  };
  const fileHandler = {
    ResolveInkFilename: (name: string) => name,
    LoadInkFileContents: (name: string) => texts.get(name) ?? "",
  };
  try {
    const compiler = new Compiler(texts.get(main) ?? "", new CompilerOptions(main, [], false, onError, fileHandler));
    const json = compiler.Compile().ToJson();
    if (problems.length === 0 && typeof json === "string") return { kind: "compiled", json };
  } catch (error) {
    // The compiler throws after it has reported; a throw without a report is its own failure to cope.
    if (problems.length === 0) problems.push({ file: main, line: 1, message: `ink: ${(error as Error).message}` });
  }
  return { kind: "invalid", problems };
}

/** `ERROR: 'story.ink' line 9: Expected ...` */
function readCompilerMessage(text: string, main: string): StoryProblem {
  const [, file, line, message] = /^[A-Z ]+: (?:'(.*?)' )?line (\d+): (.*)$/s.exec(text) ?? [];
  if (line === undefined) return { file: main, line: 1, message: text };
  return { file: file ?? main, line: Number(line), message: message ?? text };
}
