/** The sandboxes the tests run against, by level. */
import type { Sandbox } from "../src/runtime/sandbox.ts";
import { createUnconfined } from "../src/sandbox/unconfined.ts";

export function sandboxOfLevel(level: string): Promise<Sandbox> {
  if (level === "none") return Promise.resolve(createUnconfined());
  throw new Error(`no sandbox of level ${level}`);
}
