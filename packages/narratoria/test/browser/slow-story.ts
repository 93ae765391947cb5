/** A story for tests: `wait` is a tool that works until it is let go, `fail` one that never succeeds, `ask` one that asks. */
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeStory, type MadeStory, shellTool } from "../made-story.ts";

export interface SlowStory extends MadeStory {
  /** Lets every `wait` that runs, or will, come to its end. */
  letGo(): void;
}

export function makeSlowStory(): SlowStory {
  const event = (fields: object): string => `echo '${JSON.stringify({ version: "0", ...fields })}'`;
  const lit = event({ type: "state_patch", patch: { lamp: { lit: true } } });
  const half = event({ type: "log", level: "info", message: "Halfway down", fields: { progress: 0.5 } });
  const broken = event({ type: "error", errorCode: "WICK_WET", errorMessage: "The wick is wet." });
  const notOk = event({ type: "done", ok: false, summary: "It will not burn." });
  const plan = (toolPath: string, maxRetries = 0): object => ({
    narrative: `You begin to ${toolPath}.`,
    tools: [{ toolId: toolPath, toolPath, timeoutMs: 60_000, retryPolicy: { maxRetries, backoffMs: 400 } }],
  });
  const story = makeStory({
    ...shellTool("wait", [], `${lit}\n${half}\nwhile [ ! -e let-go ]; do sleep 0.05; done`),
    ...shellTool("fail", [], `${broken}\n${notOk}\nexit 0`),
    ...shellTool("ask", ["net.fetch:example.org"], lit),
    "plans.json": [
      { opening: true, narrative: "A shaft, and a rope.", choices: ["wait", "fail", "ask"] },
      { match: "wait", plan: plan("wait"), narrative: "You reach the bottom.", choices: ["wait", "fail"] },
      { match: "fail", plan: plan("fail", 3), narrative: "It stays dark.", choices: ["wait"] },
      { match: "ask", plan: plan("ask"), narrative: "The answer is in.", choices: ["wait"] },
      { match: "look", narrative: "Nothing but rope.", choices: ["wait"] },
    ],
    "story.json": { title: "The Shaft", narrator: "stub", state: { lamp: { lit: false } } },
  });
  // Where everybody may read it, tools see the folder itself and not a copy of how it was.
  for (const name of ["..", ".", ...readdirSync(story.path, { recursive: true, encoding: "utf8" })]) {
    chmodSync(join(story.path, name), 0o755);
  }
  const gate = join(story.path, "let-go");
  return {
    ...story,
    letGo: () => {
      if (!existsSync(gate)) writeFileSync(gate, "");
    },
  };
}
