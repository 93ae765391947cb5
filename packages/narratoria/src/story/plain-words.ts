/** Lengths of time and retries in the words that the terminal and the page share. */
import type { ToolView } from "./session-view.ts";

export function wordsForDuration(ms: number): string {
  // Rounded before it is compared: nothing takes "1000 ms", "60.0 s" or "1 min 60 s".
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** "retry 2 of 3", or null on the first attempt. */
export function wordsForRetry({ attempt, maxAttempts }: ToolView): string | null {
  return attempt > 1 ? `retry ${attempt - 1} of ${maxAttempts - 1}` : null;
}
