/** What is mounted in a session, as its log tells it, and the events that bring the log up to what the story has. */
import type { JsonObject } from "@narratoria/tool/json";
import type { EventName, NarratoriaEvent } from "../../story/event.ts";
import type { EventDraft } from "../../story/event.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import type { Store } from "../seams/store.ts";

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
    ...[...known.keys()]
      .filter((path) => !isSame(path))
      .map((path): EventDraft => ({ event: "mount:remove", data: { path }, ...about })),
    ...[...wanted]
      .filter(([path]) => !isSame(path))
      .map(([, data]): EventDraft => ({ event: "mount:add", data, ...about })),
  ];
}

export function knownMounts(store: Store, sessionId: string): Map<string, JsonObject> {
  const known = new Map<string, JsonObject>();
  for (const { event, data } of sessionEventsSoFar(store, sessionId, ["mount:add", "mount:remove"])) {
    const path = data?.["path"];
    if (typeof path !== "string") continue;
    if (event === "mount:add") known.set(path, data ?? {});
    else known.delete(path);
  }
  return known;
}

/** In order, what happened to a session outside of turns; a fork begins with what its parent had. */
export function sessionEventsSoFar(store: Store, sessionId: string, names: readonly EventName[]): NarratoriaEvent[] {
  const parent = store.session(sessionId)?.parentSessionId ?? null;
  const forkSeq = store.sessionEvents(sessionId, "session:fork")[0]?.seq ?? 0;
  const inherited =
    parent === null ? [] : sessionEventsSoFar(store, parent, names).filter(({ seq }) => (seq ?? 0) < forkSeq);
  const own = names.flatMap((name) => store.sessionEvents(sessionId, name));
  return [...inherited, ...own].toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
}

function pathOf({ skill }: ResolvedTool): string {
  return `/tools/${skill}`;
}

function dataOf(tool: ResolvedTool): JsonObject {
  return { path: pathOf(tool), module: tool.skill, protocol: tool.manifest?.protocol ?? "narratoria/0" };
}
