/** The events that bring a session's log up to the hooks it has now: those it does not know, and what they may do. */
import type { EventDraft } from "../../story/event.ts";
import type { Hooks } from "../policy/hooks.ts";
import type { HookMounts, MountHooks } from "../policy/module-hooks.ts";
import { sessionEventsSoFar } from "./session-mounts.ts";
import type { Store } from "../seams/store.ts";

export interface HookSources {
  hooks: Hooks;
  mountHooks?: MountHooks;
  store: Store;
}

export function hookChanges(
  { hooks, mountHooks, store }: HookSources,
  sessionId: string,
  story: HookMounts,
): EventDraft[] {
  const decisions = mountHooks?.(sessionId, story) ?? [];
  const known = new Set(sessionEventsSoFar(store, sessionId, ["hook:register"]).map(keyOf));
  const unknown = hooks.announce(sessionId).filter((draft) => !known.has(keyOf(draft)));
  const names = new Set(unknown.map(({ module }) => module));
  const ofUnknown = decisions.filter(({ module }) => names.has(module));
  return [...ofUnknown.map((draft) => ({ ...draft, session_id: sessionId })), ...unknown];
}

function keyOf({ module, data }: EventDraft): string {
  return JSON.stringify([module, data?.["event"]]);
}
