/** Lengths of time and retries in the words that the terminal and the page share. */
import type { ToolView } from "./session-view.ts";

export function wordsForDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** "retry 2 of 3", or null on the first attempt. */
export function wordsForRetry({ attempt, maxAttempts }: ToolView): string | null {
  return attempt > 1 ? `retry ${attempt - 1} of ${maxAttempts - 1}` : null;
}
