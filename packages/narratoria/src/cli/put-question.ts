/** A question to the player in the middle of a turn. With nobody there to ask, the answer is no. */
import type { AskView } from "../story/index.ts";
import type { Prompts } from "./prompts.ts";
import type { Terminal } from "./terminal.ts";
import { clean, wrap } from "./terminal-text.ts";

/** One of the answers' values; null when the player would rather stop the turn. */
export async function putQuestion(
  ask: AskView,
  prompts: Prompts,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<string | null> {
  const say = (text: string): void =>
    terminal.lines(
      clean(text)
        .split("\n")
        .flatMap((line) => wrap(line, terminal.columns(), "  ")),
    );
  say(ask.question);
  if (ask.reason !== null) say(ask.reason);
  if (!prompts.isPerson) {
    const no = ask.answers.find(({ value }) => value === "no" || value === "deny") ?? ask.answers.at(-1);
    terminal.lines([`  (nobody is here to answer: ${clean(no?.label ?? "no")})`, ""]);
    return no?.value ?? null;
  }
  ask.answers.forEach(({ label }, index) => terminal.line(`${String(index + 1).padStart(5)}  ${clean(label)}`));
  terminal.line();
  for (;;) {
    const typed = await prompts.answer(signal);
    if (typed === null) return null;
    terminal.line();
    const answer =
      ask.answers[Number(typed) - 1] ?? ask.answers.find(({ value, label }) => isSame(typed, value, label));
    if (answer !== undefined) return answer.value;
    say(`Please answer with a number from 1 to ${ask.answers.length}.`);
  }
}

function isSame(typed: string, ...names: string[]): boolean {
  return names.some((name) => name.toLowerCase() === typed.trim().toLowerCase());
}
