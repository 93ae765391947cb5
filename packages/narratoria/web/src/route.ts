/** Addresses of the app: `/` is the start page, `/s/<session>/<place>` one place of a session. `app.tsx` shows them. */
import { useSyncExternalStore } from "react";

export const PLACES = ["narrative", "tools", "assets", "state"] as const;
export type Place = (typeof PLACES)[number];

export type Route = { kind: "start" } | { kind: "session"; sessionId: string; place: Place };

export function parseRoute(pathname: string): Route {
  const [, prefix, sessionId, place] = pathname.split("/");
  if (prefix !== "s" || !sessionId) return { kind: "start" };
  const known = PLACES.find((name) => name === place);
  return { kind: "session", sessionId: decode(sessionId), place: known ?? "narrative" };
}

export function addressOf(route: Route): string {
  return route.kind === "start" ? "/" : `/s/${encodeURIComponent(route.sessionId)}/${route.place}`;
}

export function navigate(route: Route, how: "push" | "replace" = "push"): void {
  const address = addressOf(route);
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

export function useRoute(): Route {
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
