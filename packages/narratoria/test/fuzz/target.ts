/**
 * What is fuzzed: one place where bytes of others come in. A target makes inputs and tries them; what it must never do
 * is in its `try`, as expectations. `fuzz.ts` runs targets, `targets.ts` lists them, `mutate-bytes.ts` spoils seeds.
 */
import type fc from "fast-check";

export interface FuzzTarget {
  /** How many inputs the short run tries. */
  readonly few: number;
  open(): Promise<OpenTarget>;
}

export interface OpenTarget {
  readonly inputs: fc.Arbitrary<Uint8Array>;
  /** Says in a few words what came of an input, and throws when that must never be. */
  try(input: Buffer): string | Promise<string>;
  close(): Promise<void>;
}

/** Something that must never be. */
export class Find extends Error {}

export function must(holds: boolean, otherwise: string | (() => string)): asserts holds {
  if (!holds) throw new Find(typeof otherwise === "string" ? otherwise : otherwise());
}

/** Compared as JSON, which is how both would be written down. */
export function mustBeSame(one: unknown, other: unknown, what: string): void {
  const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
  must(first === second, () => `${what} differ:\n${shorten(first)}\n${shorten(second)}`);
}

/** What goes into the log or over a wire must come out of it the same. */
export function mustBeJson(value: unknown, what: string): void {
  const text = JSON.stringify(value);
  must(text !== undefined, `${what} is nothing that JSON can say`);
  mustBeSame(JSON.parse(text), value, `${what} and its copy`);
}

/** What people are shown: words, and nothing of the inside of this program. */
export function mustBeWords(message: unknown, what: string): void {
  must(typeof message === "string" && message.trim() !== "", `${what} has no words`);
  must(!STACK.test(message), () => `${what} shows a stack: ${shorten(message)}`);
}

const STACK = /\n\s+at \S+ ?\(?(?:file:|node:|\/)|\bTypeError: |\bReferenceError: |Cannot read propert/;

function shorten(text: string | undefined): string {
  if (text === undefined) return "undefined";
  return text.length <= 2_000 ? text : `${text.slice(0, 2_000)}... (${text.length} characters)`;
}
