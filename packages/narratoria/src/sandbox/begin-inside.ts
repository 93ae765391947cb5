/**
 * The first program inside bubblewrap, which becomes the tool. It joins its memory group, by a descriptor that the tool
 * does not get, and takes on its limits. Then it tells us that it is there. Bubblewrap ties its processes to ours one by
 * one, and by now all are tied: were we killed before, nobody is there to be told, and it ends; what is left of
 * bubblewrap itself then, `warden.ts` ends. Were we killed later, so is the tool.
 */
import type { ToolLimits } from "../runtime/seams/sandbox.ts";
import { limitsAsScript } from "./limits.ts";

/** What it calls itself when it complains. */
const NAME = "narratoria-begin";

/** On descriptor 4 it talks to us, and waits for our answer if we have yet to look; 5 is the entrance to its group. */
export function beginInside(command: readonly string[], limits: ToolLimits, waits: boolean): string[] {
  const tell = waits ? "echo >&4 && read -r _ <&4" : "echo >&4";
  const begin = ["echo 0 >&5", limitsAsScript(limits), tell, 'exec "$@" 4>&- 5>&-'].join(" && ");
  return ["/bin/sh", "-c", begin, NAME, ...command];
}

/** Why it could not become the tool, from what it said; null when it did not say that. */
export function findRefusal(complaints: string): string | null {
  return new RegExp(`^${NAME}: (?:exec: |(?:line )?\\d+: )*(.*)$`, "m").exec(complaints)?.[1] ?? null;
}
