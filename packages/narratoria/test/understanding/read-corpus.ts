/** Reads the files of labelled sentences; README.md tells their format. `play-choices.ts` plays to their moments. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const CORPUS_STORIES = ["the-lamp-under-the-hill", "market", "ferry", "parlour", "turmuhr"] as const;
export type CorpusStory = (typeof CORPUS_STORIES)[number];

export const STANDING_COMMANDS = [
  ...["look", "inventory", "examine", "wait", "where", "who", "exits", "options", "hint", "help"],
  ...["undo", "redo", "save", "load", "restart", "quit", "yes", "no"],
];

export type Expected =
  | { kind: "do"; choices: string[] }
  | { kind: "ask"; choices: string[] }
  | { kind: "refuse" }
  | { kind: "answer"; command: string; about: string | null }
  | { kind: "part"; choices: string[]; notFollowed: string };

export interface CorpusEntry {
  file: string;
  line: number;
  /** Labels of the choices that lead to the moment, from the beginning. */
  path: string[];
  sentence: string;
  /** All that is fine, the best first. */
  expected: Expected[];
}

export function readCorpusFile(story: CorpusStory, part: "open" | "kept"): CorpusEntry[] {
  const file = `${story}${part === "kept" ? ".kept" : ""}.corpus`;
  return readCorpus(readFileSync(fileURLToPath(new URL(file, import.meta.url)), "utf8"), file);
}

/** Throws an error that names every mistake with file and line. */
export function readCorpus(text: string, file: string): CorpusEntry[] {
  const entries: CorpusEntry[] = [];
  const problems: string[] = [];
  const seen = new Map<string, number>();
  let path: string[] | null = null;
  text.split("\n").forEach((written, index) => {
    const content = written.trim();
    const line = index + 1;
    if (content === "" || content.startsWith("#")) return;
    try {
      if (content.startsWith("@")) {
        path = readPath(content.slice(1));
        return;
      }
      if (path === null) throw new Error("a sentence needs a moment: write `@` above it");
      const { sentence, expected } = readSentence(content);
      const key = JSON.stringify([path, sentence.toLowerCase()]);
      const earlier = seen.get(key);
      if (earlier !== undefined) throw new Error(`"${sentence}" stands at this moment already, in line ${earlier}`);
      seen.set(key, line);
      entries.push({ file, line, path, sentence, expected });
    } catch (error) {
      problems.push(`${file}:${line}: ${(error as Error).message}`);
    }
  });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return entries;
}

function readPath(text: string): string[] {
  if (text.trim() === "") return [];
  const labels = text.split(" > ").map((label) => label.trim());
  if (labels.includes("")) throw new Error("a choice is missing between two >");
  return labels;
}

function readSentence(content: string): Pick<CorpusEntry, "sentence" | "expected"> {
  const [sentence = "", label = "", ...more] = content.split("=>").map((side) => side.trim());
  if (sentence === "" || label === "" || more.length > 0) throw new Error("write `sentence => expectation`");
  return { sentence, expected: label.split(/ or (?=(?:do|ask|refuse|answer|part)\b)/).flatMap(readExpected) };
}

function readExpected(text: string): Expected[] {
  const [, kind = "", rest] = /^([^:]*?)\s*(?::\s*(.*))?$/s.exec(text.trim()) ?? [];
  if (kind === "refuse") {
    if (rest !== undefined) throw new Error("refuse stands alone");
    return [{ kind }];
  }
  if (!["do", "ask", "do|ask", "answer", "part"].includes(kind)) throw new Error(`no expectation is called "${kind}"`);
  if (rest === undefined || rest === "") throw new Error(`${kind}: what?`);
  switch (kind) {
    case "ask":
      return [{ kind, choices: readLabels(rest, ",") }];
    case "do|ask":
      return [
        { kind: "do", choices: readLabels(rest, "+") },
        { kind: "ask", choices: readLabels(rest, "+") },
      ];
    case "answer":
      return [readAnswer(rest)];
    case "part":
      return [readPart(rest)];
    default:
      return [{ kind: "do", choices: readLabels(rest, "+") }];
  }
}

function readAnswer(text: string): Expected {
  const [command = "", ...about] = text.split(/\s+/);
  if (!STANDING_COMMANDS.includes(command)) throw new Error(`no standing command is called "${command}"`);
  if ((command === "examine") !== about.length > 0)
    throw new Error("examine, and nothing else, says what: `examine flask`");
  return { kind: "answer", command, about: about.length > 0 ? about.join(" ") : null };
}

function readPart(text: string): Expected {
  const [choices = "", notFollowed = "", ...more] = text.split("|").map((side) => side.trim());
  if (choices === "" || notFollowed === "" || more.length > 0) throw new Error("write `part: A | words not followed`");
  return { kind: "part", choices: readLabels(choices, "+"), notFollowed };
}

/** A label that holds the separator stands in quotes. */
function readLabels(text: string, separator: "," | "+"): string[] {
  const parts = text.match(separator === "," ? /(?:"[^"]*"|[^,"])+|,/g : /(?:"[^"]*"|[^+"])+|\+/g) ?? [];
  const labels = parts.map((part) => part.trim().replace(/^"(.*)"$/, "$1"));
  const wellFormed = labels.every((label, index) => (index % 2 === 0 ? label !== separator : label === separator));
  if (!wellFormed || labels.length % 2 === 0 || labels.includes(""))
    throw new Error(`a choice is missing in "${text}"`);
  return labels.filter((_, index) => index % 2 === 0);
}
