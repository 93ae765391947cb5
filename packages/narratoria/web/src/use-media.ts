/** Whether a media query holds right now. */
import { useSyncExternalStore } from "react";

export const PHONE = "(max-width: 599.98px)";
export const WIDE = "(min-width: 1200px)";

export function useMedia(query: string): boolean {
  const watch = (changed: () => void): (() => void) => {
    const media = window.matchMedia(query);
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  };
  return useSyncExternalStore(watch, () => window.matchMedia(query).matches);
}
