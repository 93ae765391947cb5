/** The last stories read, put aside in this browser: they can be read when the server cannot be reached. */
import { useEffect } from "react";
import type { SessionView } from "../../../src/story/session-view.ts";
import type { StoreState } from "../session-store.ts";

const SNAPSHOT_CACHE = "narratoria-snapshots";
const MOST_KEPT = 8;
const MOST_CHARACTERS = 8_000_000;

/** Keeps what is shown whenever a turn has ended, and forgets a session that is gone. */
export function useKeptSnapshot(sessionId: string, state: StoreState): void {
  const isCertain = state.kind === "ready" && state.connection !== "lost";
  const view = state.kind === "ready" ? state.view : null;
  const isResting = view?.turns.at(-1)?.status !== "running";
  const isGone = state.kind === "gone";
  useEffect(() => {
    if (isGone) void forgetSnapshot(sessionId);
    else if (isCertain && isResting && view !== null) void keepSnapshot(view);
    // Not for every log line: what is read changes when a turn ends or the head moves.
  }, [sessionId, isGone, isCertain, isResting, view?.headTurnId, view?.title]);
}

export async function forgetSnapshot(sessionId: string): Promise<void> {
  await (await openKept())?.delete(addressOf(sessionId));
}

/** Newest first. */
export async function listKept(): Promise<{ sessionId: string; title: string }[]> {
  const kept = await openKept();
  if (kept === null) return [];
  const listed: { sessionId: string; title: string }[] = [];
  for (const request of await kept.keys()) {
    const view = (await (await kept.match(request))?.json()) as SessionView | undefined;
    if (view !== undefined) listed.push({ sessionId: view.sessionId, title: view.title || view.story.title });
  }
  return listed.toReversed();
}

async function keepSnapshot(view: SessionView): Promise<void> {
  const kept = await openKept();
  const text = JSON.stringify(view);
  if (kept === null || text.length > MOST_CHARACTERS) return;
  // Put in anew, it is the newest.
  await kept.delete(addressOf(view.sessionId));
  await kept.put(addressOf(view.sessionId), new Response(text, { headers: { "content-type": "application/json" } }));
  for (const request of (await kept.keys()).slice(0, -MOST_KEPT)) await kept.delete(request);
}

/** Null where a browser has no such store, as on pages from other machines without https. */
async function openKept(): Promise<Cache | null> {
  return "caches" in globalThis ? caches.open(SNAPSHOT_CACHE).catch(() => null) : null;
}

function addressOf(sessionId: string): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}`;
}
