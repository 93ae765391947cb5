/** JSON on stdout for other programs, at the pace at which they read it. */
import { once } from "node:events";

/** What could steer a terminal is written as an escape: the value is the same. */
export function withoutSteering(json: string): string {
  return json.replaceAll(STEERING, asEscape);
}

/** JSON escapes the control characters of ASCII itself. */
const STEERING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]/g;

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** One event as one line. A promise asks to wait: the reader is slower than the tools. For one that left we do not. */
export function printEvent(event: object): void | Promise<void> {
  if (process.stdout.write(`${withoutSteering(JSON.stringify(event))}\n`)) return;
  const nothing = (): void => {};
  return once(process.stdout, "drain").then(nothing, nothing);
}

/** Waits until it is written: exiting earlier would cut it off in a pipe. */
export function printDocument(value: object, form: "line" | "indented"): Promise<void> {
  const text = withoutSteering(JSON.stringify(value, null, form === "indented" ? 2 : 0));
  return new Promise((written) => process.stdout.write(`${text}\n`, () => written()));
}
