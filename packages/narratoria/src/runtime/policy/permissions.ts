/**
 * Whether a tool may have what it needs: the policy decides; where it says nothing and somebody can be asked, the player
 * is, once, and the answer is remembered. With nobody to ask the answer is no.
 */
import { wordsForCapability } from "../../story/capability-words.ts";
import type { Player, Question } from "../seams/player.ts";
import { covers, type Policy } from "./policy.ts";

export interface PermissionRequest {
  skill: string;
  toolId: string;
  capability: string;
  /** The whole command line, for a program from outside the story. */
  command: readonly string[];
  description: string | null;
}

export interface Permissions {
  readonly policy: Policy;
  /** What was granted so far, by the policy and by people. */
  grants(): { readonly [skill: string]: readonly string[] };
  decide(request: PermissionRequest, player: Player): Promise<"allow" | "deny">;
  grant(skill: string, capability: string): void;
  revoke(skill: string, capability: string): boolean;
}

/** Where answers are kept between runs. */
export interface GrantKeeper {
  load(): { [skill: string]: string[] };
  save(grants: { [skill: string]: string[] }): void;
}

export function createPermissions(policy: Policy, keeper: GrantKeeper, mayAsk: boolean): Permissions {
  // Maps: a skill may be called like something that every object has.
  const remembered = new Map(Object.entries(keeper.load()));

  function grants(): { [skill: string]: string[] } {
    const all = new Map<string, string[]>();
    for (const [skill, list] of [...Object.entries(policy.grants), ...remembered]) {
      all.set(skill, [...new Set([...(all.get(skill) ?? []), ...list])]);
    }
    return Object.fromEntries(all);
  }

  async function decide(request: PermissionRequest, player: Player): Promise<"allow" | "deny"> {
    const granted = Object.entries(grants()).find(([skill]) => skill === request.skill)?.[1] ?? [];
    if (granted.some((grant) => covers(grant, request.capability))) return "allow";
    if (!mayAsk) return "deny";
    const answer = await player.ask(questionFor(request));
    if (answer === "always") grant(request.skill, request.capability);
    return answer === "always" || answer === "once" ? "allow" : "deny";
  }

  function grant(skill: string, capability: string): void {
    remembered.set(skill, [...new Set([...(remembered.get(skill) ?? []), capability])]);
    keeper.save(Object.fromEntries(remembered));
  }

  function revoke(skill: string, capability: string): boolean {
    const before = remembered.get(skill) ?? [];
    remembered.set(
      skill,
      before.filter((known) => known !== capability),
    );
    keeper.save(Object.fromEntries(remembered));
    return before.includes(capability);
  }
  return { policy, grants, decide, grant, revoke };
}

function questionFor(request: PermissionRequest): Question {
  const { skill, capability, command, toolId } = request;
  // Who allows a program to run must see which.
  const which = capability === "exec.spawn" ? `: ${command.join(" ")}` : "";
  return {
    toolId,
    question: `The tool "${skill}" asks to ${wordsForCapability(capability)}${which}.`,
    reason: request.description,
    answers: [
      { value: "once", label: "Allow this time" },
      { value: "always", label: "Always allow" },
      { value: "no", label: "Don't allow" },
    ],
  };
}
