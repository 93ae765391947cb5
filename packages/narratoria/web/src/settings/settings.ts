/** What the player likes, besides the scheme: kept in this browser and set on the document. `theme/` does the rest. */
import { useSyncExternalStore } from "react";

export const TEXT_SIZES = ["small", "normal", "large", "huge"] as const;
export type TextSize = (typeof TEXT_SIZES)[number];

export interface Settings {
  textSize: TextSize;
  /** "less": nothing moves, whatever the system says. */
  motion: "system" | "less";
  /** Raw events, standard error and identifiers in the tools' place. */
  isDeveloper: boolean;
}

const KEY = "narratoria:settings";
const DEFAULTS: Settings = { textSize: "normal", motion: "system", isDeveloper: false };
const PERCENT: { [size in TextSize]: string } = { small: "87.5%", normal: "", large: "118.75%", huge: "137.5%" };
const listeners = new Set<() => void>();
let settings = read();

export function useSettings(): Settings {
  return useSyncExternalStore(watch, () => settings);
}

export function changeSettings(change: Partial<Settings>): void {
  settings = { ...settings, ...change };
  localStorage.setItem(KEY, JSON.stringify(settings));
  tell();
}

export function applySettings(): void {
  const { style, dataset } = document.documentElement;
  style.fontSize = PERCENT[settings.textSize];
  dataset["motion"] = settings.motion;
}

function watch(changed: () => void): () => void {
  listeners.add(changed);
  window.addEventListener("storage", readAgain);
  return () => {
    listeners.delete(changed);
    if (listeners.size === 0) window.removeEventListener("storage", readAgain);
  };
}

/** Another tab may choose, too. */
function readAgain(): void {
  settings = read();
  tell();
}

function tell(): void {
  applySettings();
  for (const listener of listeners) listener();
}

/** Whatever stands there, also by other hands, becomes settings. */
function read(): Settings {
  let kept: Partial<Settings> | null = null;
  try {
    kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings> | null;
  } catch {
    kept = null;
  }
  return {
    textSize: TEXT_SIZES.find((size) => size === kept?.textSize) ?? DEFAULTS.textSize,
    motion: kept?.motion === "less" ? "less" : DEFAULTS.motion,
    isDeveloper: kept?.isDeveloper === true,
  };
}
