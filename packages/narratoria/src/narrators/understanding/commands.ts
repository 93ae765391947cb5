/** What a player can always type, whatever the story offers. `ink-answers.ts` answers. */
import { COMMANDS, type CommandName } from "./language.ts";
import type { Lexicon } from "./lexicon.ts";
import { readWords, tokensOf } from "./words.ts";

export interface StandingCommand {
  name: CommandName;
  /** What it is about, in the words that were typed; null where the command is whole without. */
  thing: string | null;
}

const LONGEST = 120;

/** `examine` last: it takes whatever is behind its verb. */
const ORDER: readonly CommandName[] = [...COMMANDS.filter((name) => name !== "examine"), "examine"];

export function readCommand(typed: string, lexicon: Lexicon): StandingCommand | null {
  if (typed.length > LONGEST) return null;
  if (typed.trim() === "?") return { name: "help", thing: null };
  const plain = lexicon.plain(typed);
  return readPlain(plain, lexicon) ?? readPlain(withoutOpening(plain, lexicon), lexicon);
}

/** "How do I save" is "save". */
function withoutOpening(plain: string, { language }: Lexicon): string {
  const opening = language.openings.find((each) => plain.startsWith(`${each} `));
  return opening === undefined ? "" : plain.slice(opening.length + 1);
}

function readPlain(plain: string, lexicon: Lexicon): StandingCommand | null {
  const tokens = withoutFillers(tokensOf(plain, lexicon), lexicon);
  if (tokens.length === 0) return null;
  for (const name of ORDER) {
    for (const pattern of patternsOf(name, lexicon)) {
      const thing = fit(tokens, pattern, lexicon);
      if (thing !== null) return { name, thing: thing === "" ? null : thing };
    }
  }
  return null;
}

/** "examine {thing}" as tokens; a group of words stands in braces too: "{bag}". */
type Pattern = readonly string[];

const patterns = new WeakMap<Lexicon, Map<CommandName, Pattern[]>>();

function patternsOf(name: CommandName, lexicon: Lexicon): Pattern[] {
  const known = patterns.get(lexicon) ?? new Map<CommandName, Pattern[]>();
  patterns.set(lexicon, known);
  const found = known.get(name);
  if (found !== undefined) return found;
  const read = lexicon.language.commands[name].map((text) => withoutFillers(text.split(" "), lexicon));
  known.set(name, read);
  return read;
}

function withoutFillers(tokens: readonly string[], { fillers }: Lexicon): string[] {
  const left = tokens.filter((token) => !fillers.has(token));
  return left.length > 0 ? left : [...tokens];
}

/** The words that stand for `{thing}`, none for a pattern without; null when it does not fit. */
function fit(tokens: readonly string[], pattern: Pattern, lexicon: Lexicon): string | null {
  const at = pattern.indexOf("{thing}");
  if (at < 0) {
    const isSame =
      pattern.length === tokens.length && pattern.every((part, index) => isLike(tokens[index] ?? "", part, lexicon));
    return isSame ? "" : null;
  }
  const behind = pattern.slice(at + 1);
  const middle = tokens.slice(at, tokens.length - behind.length);
  if (middle.length === 0 || tokens.length < pattern.length) return null;
  const ends = tokens.slice(tokens.length - behind.length);
  if (!behind.every((part, index) => isLike(ends[index] ?? "", part, lexicon))) return null;
  if (!pattern.slice(0, at).every((part, index) => isLike(tokens[index] ?? "", part, lexicon))) return null;
  return middle.join(" ");
}

function isLike(token: string, part: string, { keysOf }: Lexicon): boolean {
  const [, group] = /^\{(.+)\}$/.exec(part) ?? [];
  if (group !== undefined) return keysOf(token).includes(`=${group}`) || keysOf(token).includes("=pockets");
  return token === part || keysOf(token).includes(`!${part}`);
}

/** A question about a thing, asked only when nothing else was understood: "what is a tally?" */
export function readAbout(typed: string, lexicon: Lexicon): StandingCommand | null {
  const { words, isQuestion } = readWords(typed.slice(0, LONGEST), lexicon);
  const things = words.filter(({ kind, text }) => kind === "other" && !lexicon.questionWords.has(text));
  if (!isQuestion || things.length !== words.filter(({ text }) => !lexicon.questionWords.has(text)).length) return null;
  return things.length === 0
    ? null
    : { name: "examine", thing: things.map(({ text }) => text.replaceAll("_", " ")).join(" ") };
}
