/** The sandboxes the tests run against, by level. */
import type { Sandbox } from "../src/runtime/seams/sandbox.ts";
import { chooseSandbox } from "../src/sandbox/choose-sandbox.ts";
import { createPartial } from "../src/sandbox/partial.ts";
import { createUnconfined } from "../src/sandbox/unconfined.ts";

export async function sandboxOfLevel(level: string, hidden: readonly string[] = []): Promise<Sandbox> {
  if (level === "none") return createUnconfined();
  if (level === "partial") return createPartial(hidden);
  const choice = await chooseSandbox("best", hidden);
  if (choice.level !== level) throw new Error(`the sandbox here is ${choice.level}, not ${level}: ${choice.advice}`);
  return choice.sandbox;
}
