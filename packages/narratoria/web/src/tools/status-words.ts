/** How tools and plans stand, as an icon and in words: colour alone would not tell everybody. */
import type { PlanView, ToolView } from "../../../src/story/session-view.ts";

export const STATUS_ICONS: { [status in ToolView["status"]]: string } = {
  pending: "schedule",
  waiting: "schedule",
  running: "sync",
  retrying: "sync",
  completed: "check_circle",
  failed: "error",
  skipped: "block",
  timeout: "timer_off",
};

const STATUS_WORDS: { [status in ToolView["status"]]: string } = {
  pending: "not begun yet",
  waiting: "waiting for a free hand",
  running: "running",
  retrying: "retrying",
  completed: "completed",
  failed: "failed",
  skipped: "skipped",
  timeout: "took too long",
};

/** Also for an attempt, which may have been interrupted. */
export function wordsForStatus(status: string): string {
  return Object.hasOwn(STATUS_WORDS, status) ? STATUS_WORDS[status as ToolView["status"]] : status;
}

/** A plan may be run again, and then the attempts are counted from one again. */
export function wordsForAttempt({ attempt, maxAttempts, attempts }: ToolView): string {
  if (attempt === 0) return "no attempt";
  const inAll = attempts.length > attempt ? `, ${attempts.length} in all` : "";
  return `attempt ${attempt} of ${maxAttempts}${inAll}`;
}

export const PLAN_WORDS: { [status in PlanView["status"]]: string } = {
  rejected: "not valid, never ran",
  running: "running",
  completed: "completed",
  failed: "failed",
};

export function wordsForSandbox(level: string | null): string {
  switch (level) {
    case "full":
      return "Full sandbox: it saw only its story and its own temporary files, and no network it was not granted.";
    case "container":
      return "Container: it saw its image and what it was granted, as far as docker or podman hold.";
    case "partial":
      return "Partial sandbox: limits held it, but it could read files outside its story.";
    case "none":
      return "No sandbox: it ran with all the rights of the person who started Narratoria.";
    case null:
      return "Not known until it has run.";
    default:
      return level;
  }
}

const CATEGORY_WORDS: { [category: string]: string } = {
  tool_failure: "the tool said that it failed",
  process_error: "the program ended in a way it should not",
  timeout: "it took longer than it may",
  protocol_violation: "it printed something that is no event",
  forbidden: "it asked for, or did, something it may not",
};

export function wordsForCategory(category: string): string {
  return CATEGORY_WORDS[category] ?? category;
}
