/** Dark, light or as the system has it: kept in this browser, set on the document, used by `theme/colors.css`. */
import { useSyncExternalStore } from "react";

export const SCHEMES = ["dark", "light", "system"] as const;
export type Scheme = (typeof SCHEMES)[number];

const KEY = "narratoria:scheme";
const listeners = new Set<() => void>();

function currentScheme(): Scheme {
  const stored = localStorage.getItem(KEY);
  return SCHEMES.find((scheme) => scheme === stored) ?? "dark";
}

export function applyScheme(): void {
  document.documentElement.dataset["scheme"] = currentScheme();
}

export function chooseScheme(scheme: Scheme): void {
  localStorage.setItem(KEY, scheme);
  applyScheme();
  for (const listener of listeners) listener();
}

export function useScheme(): Scheme {
  return useSyncExternalStore(watchScheme, currentScheme);
}

function watchScheme(changed: () => void): () => void {
  // Another tab may choose, too.
  const storageChanged = (): void => {
    applyScheme();
    changed();
  };
  listeners.add(changed);
  window.addEventListener("storage", storageChanged);
  return () => {
    listeners.delete(changed);
    window.removeEventListener("storage", storageChanged);
  };
}
