/** Keys that work in every place: `?` for the sheet of them all, `g` and a letter to go somewhere. */
import { useEffect } from "react";
import { navigate, type Place, type PageRoute } from "../route.ts";

const PLACES: { [letter: string]: Place } = { n: "narrative", t: "tools", a: "assets", s: "state", r: "tree" };
/** How long a `g` waits for its letter. */
const PATIENCE_MS = 1500;

export function useGlobalKeys(sessionId: string | null, showSheet: () => void): void {
  useEffect(() => {
    let wasG = -Infinity;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
      const isHelp = (event.key === "?" && !isTyping(event.target)) || (event.key === "/" && event.ctrlKey);
      if (isHelp) {
        event.preventDefault();
        return showSheet();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target)) return;
      const target = performance.now() - wasG < PATIENCE_MS ? routeOf(event.key, sessionId) : null;
      wasG = event.key === "g" ? performance.now() : -Infinity;
      if (target === null) return;
      event.preventDefault();
      navigate(target);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [sessionId, showSheet]);
}

function routeOf(key: string, sessionId: string | null): PageRoute | null {
  if (key === "h") return { kind: "start" };
  const place = PLACES[key];
  return place === undefined || sessionId === null ? null : { kind: "session", sessionId, place };
}

/** An empty field is where a player looks for help; a question mark after words is part of them. */
function isTyping(target: EventTarget | null): boolean {
  return isTextField(target) && target.value !== "";
}

function isTextField(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
  return (
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  );
}
