/** At the start: what the sandbox of this system does not protect, on stderr; nothing where it is full. */
import { type SandboxLevel, wordsForLevel } from "../story/index.ts";
import { remark } from "./say.ts";

export function warnOfLevel(level: SandboxLevel): void {
  if (level === "full") return;
  remark(`The sandbox is "${level}" here. ${wordsForLevel(level)}\n"narratoria doctor" says how to get the full one.`);
}
