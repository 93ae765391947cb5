/** What is mounted in a session, as its log tells it, and the events that bring the log up to what the story has now. */
import type { JsonObject } from "@narratoria/tool/json";
import type { EventDraft } from "./event-log.ts";
import type { ResolvedTool } from "./resolve-tool.ts";
import type { Store } from "./store.ts";

/** `known` is what the session's log says; a new session's says nothing yet. */
export function mountChanges(
  sessionId: string,
  known: ReadonlyMap<string, JsonObject>,
  mounts: ReadonlyMap<string, ResolvedTool>,
): EventDraft[] {
  const wanted = new Map([...mounts.values()].map((tool) => [pathOf(tool), dataOf(tool)]));
  const isSame = (path: string): boolean => known.get(path)?.["protocol"] === wanted.get(path)?.["protocol"];
  const about = { component: "kernel", session_id: sessionId } as const;
  return [
    ...[...known.keys()].filter((path) => !isSame(path)).map((path): EventDraft => ({ event: "mount:remove", data: { path }, ...about })),
    ...[...wanted].filter(([path]) => !isSame(path)).map(([, data]): EventDraft => ({ event: "mount:add", data, ...about })),
  ];
}

/** A fork begins with what its parent had. */
export function knownMounts(store: Store, sessionId: string, before = Number.POSITIVE_INFINITY): Map<string, JsonObject> {
  const fork = store.sessionEvents(sessionId, "session:fork")[0];
  const parent = store.session(sessionId)?.parentSessionId ?? null;
  const known = parent === null ? new Map<string, JsonObject>() : knownMounts(store, parent, fork?.seq ?? 0);
  const events = [...store.sessionEvents(sessionId, "mount:add"), ...store.sessionEvents(sessionId, "mount:remove")];
  for (const { event, data, seq = 0 } of events.toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0))) {
    if ((seq ?? 0) >= before) break;
    const path = String(data?.["path"]);
    if (event === "mount:add") known.set(path, data ?? {});
    else known.delete(path);
  }
  return known;
}

function pathOf({ skill }: ResolvedTool): string {
  return `/tools/${skill}`;
}

function dataOf(tool: ResolvedTool): JsonObject {
  return { path: pathOf(tool), module: tool.skill, protocol: tool.manifest?.protocol ?? "narratoria/0" };
}
