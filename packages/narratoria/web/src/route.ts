/**
 * Addresses of the app: `/` is the start page, `/s/<session>/<place>` one place of a session, and what may follow one
 * thing in it (a turn of the narrative, an asset). `app.tsx` shows them.
 */
import { useSyncExternalStore } from "react";

export const PLACES = ["narrative", "tools", "assets", "state", "tree"] as const;
export type Place = (typeof PLACES)[number];

export type PageRoute = { kind: "start" } | { kind: "session"; sessionId: string; place: Place; item?: string };

function parseRoute(pathname: string): PageRoute {
  const [, prefix, sessionId, place, item] = pathname.split("/");
  if (prefix !== "s" || !sessionId) return { kind: "start" };
  const known = PLACES.find((name) => name === place);
  const session = { kind: "session", sessionId: decode(sessionId), place: known ?? "narrative" } as const;
  return item ? { ...session, item: decode(item) } : session;
}

export function addressOf(route: PageRoute): string {
  if (route.kind === "start") return "/";
  const { sessionId, place, item } = route;
  return ["", "s", encodeURIComponent(sessionId), place, ...(item ? [encodeURIComponent(item)] : [])].join("/");
}

export function navigate(route: PageRoute, how: "push" | "replace" = "push"): void {
  const address = addressOf(route);
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

export function useRoute(): PageRoute {
  const pathname = useSyncExternalStore(watchAddress, () => location.pathname);
  return parseRoute(pathname);
}

function watchAddress(changed: () => void): () => void {
  window.addEventListener("popstate", changed);
  return () => window.removeEventListener("popstate", changed);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
