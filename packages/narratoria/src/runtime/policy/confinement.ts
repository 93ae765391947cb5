/**
 * Whether a tool may run at the level of the sandbox there is. Below `full` and `container` only what ships with
 * Narratoria runs, until the person at the machine has confirmed it for the story.
 */
import { wordsForLevel } from "../../story/level-words.ts";
import type { ErrorDetail, SandboxLevel } from "../../story/execution-result.ts";
import { RECORDED } from "../mounts/read-manifest.ts";
import { realLocation } from "../mounts/real-location.ts";
import type { Player } from "../seams/player.ts";
import type { Mounted, ResolvedTool } from "../seams/resolved-tool.ts";
import type { GrantBook } from "./grant-book.ts";
import type { Policy } from "./policy.ts";

export interface Confinement {
  /** Why it may not run here; null when it may. */
  judge(mount: Mounted): ErrorDetail | null;
  /** Asks the player, where there is one. */
  decide(mount: Mounted, toolId: string, player: Player | null): Promise<ErrorDetail | null>;
}

export interface ConfinementOptions {
  level: SandboxLevel;
  policy: Policy;
  book: GrantBook;
  /** Confirmed beforehand, for every story: `--allow-unconfined`, `--no-sandbox`. */
  allowUnconfined: boolean;
}

export function createConfinement({ level, policy, book, allowUnconfined }: ConfinementOptions): Confinement {
  /** Real folders: a link may lead to another story by now. */
  const confirmed = new Set<string>();
  /** One question a turn, whose answer counts for all of its tools. */
  const asked = new WeakMap<Player, Promise<string | null>>();

  function judge({ storyDir, tool }: Mounted): ErrorDetail | null {
    if (level === "full" || runsConfinedAnyway(tool)) return null;
    if (policy.sandbox === "full") {
      const message = `the policy asks for the full sandbox, and here it is "${level}"; narratoria doctor says why`;
      return { category: "forbidden", code: "SANDBOX_REQUIRED", message };
    }
    if (policy.sandbox === "any" || allowUnconfined || tool.source === "builtin_pack") return null;
    if (confirmed.has(realLocation(storyDir)) || book.isUnconfined(storyDir)) return null;
    const message =
      `${tool.skill} would not be confined: ${wordsForLevel(level)} ` +
      `Nobody has confirmed that for this story; --allow-unconfined does, and narratoria doctor says how to do better`;
    return { category: "forbidden", code: "UNCONFINED", message };
  }

  async function decide(mount: Mounted, toolId: string, player: Player | null): Promise<ErrorDetail | null> {
    const refusal = judge(mount);
    if (refusal?.code !== "UNCONFINED" || player === null) return refusal;
    const asking = asked.get(player) ?? player.ask(questionAbout(level, toolId));
    asked.set(player, asking);
    const answer = await asking;
    if (answer === "once") confirmed.add(realLocation(mount.storyDir));
    if (answer === "always" && !book.isUnconfined(mount.storyDir)) book.addUnconfined(mount.storyDir);
    return judge(mount);
  }
  return { judge, decide };
}

/** In a container; or elsewhere, or not at all: a service, a recording. */
function runsConfinedAnyway({ manifest, command }: ResolvedTool): boolean {
  // Of all protocols only this one's runner starts containers; elsewhere the word means nothing.
  const isContained = manifest?.protocol === "namel3ss/1" && manifest.container !== undefined;
  return isContained || manifest?.transport.type === "http" || command[0] === RECORDED;
}

function questionAbout(level: SandboxLevel, toolId: string) {
  return {
    toolId,
    question: "The tools of this story would run without the full sandbox. Let them?",
    reason: `${wordsForLevel(level)} "narratoria doctor" says how to get the full sandbox.`,
    answers: [
      { value: "once", label: "Until Narratoria ends" },
      { value: "always", label: "Always for this story" },
      { value: "no", label: "Don't run them" },
    ],
  };
}
