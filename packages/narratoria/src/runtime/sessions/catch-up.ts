/**
 * The events that bring a session's log up to what its story has now: mounts that came and went, and hooks it does not
 * know yet with what they may do. What a fork inherited is known to it.
 */
import type { DraftOf, EventDraft, EventOf } from "../../story/event.ts";
import type { Story } from "../mounts/load-story.ts";
import type { Hooks } from "../policy/hooks.ts";
import type { ModuleHooks } from "../policy/module-hooks.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import type { Ancestry } from "../turns/ancestry.ts";

export interface CatchUp {
  (sessionId: string, story: Story): Promise<EventDraft[]>;
}

type KnownMount = EventOf<"mount:add">["data"];

export function createCatchUp(
  ancestry: Ancestry,
  hooks: Pick<Hooks, "announce">,
  moduleHooks: Pick<ModuleHooks, "mount">,
): CatchUp {
  return async (sessionId, story) => {
    const decisions = await moduleHooks.mount(sessionId, story);
    return [
      ...mountChanges(knownMounts(ancestry, sessionId), story.mounts),
      ...hookChanges(ancestry, hooks, sessionId, decisions),
    ];
  };
}

/** `known` is what the session's log says; a new session's says nothing yet. */
function mountChanges(known: ReadonlyMap<string, KnownMount>, mounts: ReadonlyMap<string, ResolvedTool>): EventDraft[] {
  const wanted = new Map([...mounts.values()].map((tool) => [pathOf(tool), mountOf(tool)]));
  const isSame = (path: string): boolean => known.get(path)?.protocol === wanted.get(path)?.protocol;
  return [
    ...[...known.keys()]
      .filter((path) => !isSame(path))
      .map((path): EventDraft => ({ event: "mount:remove", component: "kernel", data: { path } })),
    ...[...wanted]
      .filter(([path]) => !isSame(path))
      .map(([, data]): EventDraft => ({ event: "mount:add", component: "kernel", data })),
  ];
}

function knownMounts(ancestry: Ancestry, sessionId: string): Map<string, KnownMount> {
  const known = new Map<string, KnownMount>();
  for (const event of ancestry.sessionEvents(sessionId, "mount:add", "mount:remove")) {
    if (event.event === "mount:add") known.set(event.data.path, event.data);
    else known.delete(event.data.path);
  }
  return known;
}

function hookChanges(
  ancestry: Ancestry,
  hooks: Pick<Hooks, "announce">,
  sessionId: string,
  decisions: readonly DraftOf<"policy:decision">[],
): EventDraft[] {
  const known = new Set(ancestry.sessionEvents(sessionId, "hook:register").map(keyOf));
  const unknown = hooks.announce(sessionId).filter((draft) => !known.has(keyOf(draft)));
  return [...newDecisions(ancestry, sessionId, decisions), ...unknown];
}

/** A hook is called again and again: what was decided about it is told when it is decided otherwise. */
function newDecisions(
  ancestry: Ancestry,
  sessionId: string,
  decisions: readonly DraftOf<"policy:decision">[],
): EventDraft[] {
  if (decisions.length === 0) return [];
  const of = ({ module, data }: DraftOf<"policy:decision">): string => JSON.stringify([module, data.capability]);
  const latest = new Map(
    ancestry.sessionEvents(sessionId, "policy:decision").map((event) => [of(event), event.status]),
  );
  return decisions.filter((decision) => latest.get(of(decision)) !== decision.status);
}

function keyOf({ module, data }: DraftOf<"hook:register">): string {
  return JSON.stringify([module, data.event]);
}

function pathOf({ skill }: ResolvedTool): string {
  return `/tools/${skill}`;
}

function mountOf(tool: ResolvedTool): KnownMount {
  return { path: pathOf(tool), module: tool.skill, protocol: tool.manifest?.protocol ?? "narratoria/0" };
}
