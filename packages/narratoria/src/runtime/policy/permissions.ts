/**
 * Whether a mount may have what it needs: the policy decides; where it says nothing and somebody can be asked, the player
 * is, and the answer is remembered for this story, this mount, and what it is made of. With nobody to ask the answer is
 * no. `permission-question.ts` words the questions, `tool-content.ts` says what a tool is made of.
 */
import type { ErrorDetail, SandboxLevel } from "../../story/execution-result.ts";
import type { Decision } from "../seams/engine.ts";
import type { Player } from "../seams/player.ts";
import type { Mounted } from "../seams/resolved-tool.ts";
import { createConfinement } from "./confinement.ts";
import { openGrantBook, type GrantKeeper, type KeptGrant } from "./grant-book.ts";
import { questionFor } from "./permission-question.ts";
import { coversAny, inRealPlace, refusalForDenied, type Policy } from "./policy.ts";
import { changedParts, type ToolContent, type ToolContents } from "./tool-content.ts";

export interface Authorization {
  /** One for each capability it needs. */
  decisions: Decision[];
  /** Why the tool may not be started; null when it may. */
  refusal: ErrorDetail | null;
}

export interface Decided extends Authorization {
  /** Whether the tool is still made of what was decided about. */
  isStillSo(): Promise<boolean>;
}

export interface Permissions {
  /** What was granted to this mount as it is now, by the policy and by people. */
  grantsOf(mount: Mounted): Promise<string[]>;
  /** Without asking anybody. */
  judge(mount: Mounted): Promise<Authorization>;
  /** Asks the player, once for everything that is missing. */
  decide(request: Mounted & { toolId: string }, player: Player): Promise<Decided>;
  grant(mount: Mounted, capability: string): Promise<GrantOutcome>;
  revoke(mount: Mounted, capability: string): boolean;
}

/** `why` goes on after "it". */
export type GrantOutcome = { kind: "granted" } | { kind: "unknowable"; why: string };

export interface PermissionsOptions {
  policy: Policy;
  /** Whether the policy's grants are meant for this story. */
  policyHoldsFor: (storyDir: string) => boolean;
  contents: ToolContents;
  keeper: GrantKeeper;
  level: SandboxLevel;
  /** Confirmed beforehand, for every story: `--allow-unconfined`, `run --no-sandbox`. */
  allowUnconfined: boolean;
  /** Whether a player is there to be asked. */
  mayAsk: boolean;
}

export function createPermissions(options: PermissionsOptions): Permissions {
  const { policy, contents } = options;
  const book = openGrantBook(options.keeper);
  const confinement = createConfinement({ ...options, book });

  async function grantsOf(mount: Mounted): Promise<string[]> {
    return (await lookUp(mount)).granted;
  }

  async function lookUp(mount: Mounted): Promise<LookedUp> {
    const { tool, storyDir } = mount;
    const named = Object.hasOwn(policy.grants, tool.skill) ? (policy.grants[tool.skill] ?? []) : [];
    const given = options.policyHoldsFor(storyDir) ? named : [];
    const kept = book.find(mount);
    // Looking at all files of a tool takes a moment, and most tools were never granted anything.
    if (kept === null) return { granted: [...new Set(given)], content: null };
    const content = await contents.contentOf(storyDir, tool);
    const isSame = changesSince(kept, content).length === 0;
    return { granted: [...new Set([...given, ...(isSame ? kept.capabilities : [])])], content };
  }

  async function decideAlone(mount: Mounted): Promise<DecidedOn> {
    const { tool, storyDir } = mount;
    if (tool.needs.length === 0) return { decisions: [], content: null };
    const { granted, content } = await lookUp(mount);
    const decisions = tool.needs.map((capability): Decision => ({
      capability,
      status: coversAny(granted, capability, storyDir) ? "allow" : "deny",
    }));
    return { decisions, content };
  }

  async function judge(mount: Mounted): Promise<Authorization> {
    const { decisions } = await decideAlone(mount);
    return { decisions, refusal: refusalForDenied(mount.tool, decisions) ?? confinement.judge(mount) };
  }

  async function decide(request: Mounted & { toolId: string }, player: Player): Promise<Decided> {
    const { tool, storyDir, toolId } = request;
    const { decisions, content } = await decideCapabilities(request, player);
    const isStillSo = async (): Promise<boolean> =>
      content === null || isSameContent(content, await contents.contentOf(storyDir, tool));
    const refusal = refusalForDenied(tool, decisions);
    if (refusal !== null) return { decisions, refusal, isStillSo };
    return { decisions, refusal: await confinement.decide(request, toolId, options.mayAsk ? player : null), isStillSo };
  }

  async function decideCapabilities(request: Mounted & { toolId: string }, player: Player): Promise<DecidedOn> {
    const { tool, storyDir, toolId } = request;
    const alone = await decideAlone(request);
    const missing = alone.decisions.filter(({ status }) => status === "deny").map(({ capability }) => capability);
    if (missing.length === 0 || !options.mayAsk) return alone;

    const asked = await describe(request, missing);
    const { content, places } = asked;
    const kept = book.find(request);
    const changes = kept === null ? [] : changesSince(kept, content);
    const answer = await player.ask(questionFor({ tool, toolId, capabilities: places, content, changes }));
    if (answer !== "once" && answer !== "always") return alone;
    // What was allowed is what was asked about: while somebody thought about it, it may have become something else.
    if (!isSameDescription(asked, await describe(request, missing))) return decideCapabilities(request, player);
    if (answer === "always" && content.kind === "content") book.add({ storyDir, tool }, places, content.parts);
    return { decisions: alone.decisions.map(({ capability }) => ({ capability, status: "allow" })), content };
  }

  async function describe({ tool, storyDir }: Mounted, capabilities: readonly string[]): Promise<Description> {
    return {
      content: await contents.contentOf(storyDir, tool),
      places: capabilities.map((capability) => inRealPlace(capability, storyDir)),
    };
  }

  async function grant(mount: Mounted, capability: string): Promise<GrantOutcome> {
    const content = await contents.contentOf(mount.storyDir, mount.tool);
    if (content.kind === "unknowable") return content;
    book.add(mount, [inRealPlace(capability, mount.storyDir)], content.parts);
    return { kind: "granted" };
  }

  return { grantsOf, judge, decide, grant, revoke: (mount, capability) => book.remove(mount, capability) };
}

/** `content` is null where it did not count. */
interface LookedUp {
  granted: string[];
  content: ToolContent | null;
}

interface DecidedOn {
  decisions: Decision[];
  content: ToolContent | null;
}

interface Description {
  content: ToolContent;
  places: string[];
}

function isSameDescription(before: Description, now: Description): boolean {
  return before.places.join("\0") === now.places.join("\0") && isSameContent(before.content, now.content);
}

function isSameContent(before: ToolContent, now: ToolContent): boolean {
  if (before.kind !== "content" || now.kind !== "content") return before.kind === now.kind;
  return changedParts(before.parts, now.parts).length === 0;
}

/** The parts that are not as they were; what cannot be looked at has changed as a whole. */
function changesSince(kept: KeptGrant, content: ToolContent): string[] {
  return content.kind === "content" ? changedParts(kept.parts, content.parts) : ["."];
}
