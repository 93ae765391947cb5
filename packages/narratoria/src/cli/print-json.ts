/** JSON on stdout for other programs, at the pace at which they read it. */
import { once } from "node:events";

/** One event as one line. A promise asks to wait: the reader is slower than the tools. For one that left we do not. */
export function printEvent(event: object): void | Promise<void> {
  if (process.stdout.write(`${JSON.stringify(event)}\n`)) return;
  const nothing = (): void => {};
  return once(process.stdout, "drain").then(nothing, nothing);
}

/** Waits until it is written: exiting earlier would cut it off in a pipe. */
export function printDocument(value: object, form: "line" | "indented"): Promise<void> {
  const text = JSON.stringify(value, null, form === "indented" ? 2 : 0);
  return new Promise((written) => process.stdout.write(`${text}\n`, () => written()));
}
