/** How the mounts of this host fare: what became of each one's last attempt. It is for people; it decides nothing. */
import type { AttemptOutcome } from "../seams/tool-runner.ts";

export interface MountHealth {
  /** `unknown` until it was first used. */
  status: "unknown" | "ok" | "failing";
  /** Why it fails. */
  message: string | null;
  /** When that was, in milliseconds since 1970. */
  at: number | null;
}

export type HealthOf = (storyDir: string, skill: string) => MountHealth;

export interface HealthBook {
  note(storyDir: string, skill: string, outcome: AttemptOutcome): void;
  readonly healthOf: HealthOf;
}

const UNKNOWN_HEALTH: MountHealth = { status: "unknown", message: null, at: null };

/** Where nothing has run yet. */
export const NOTHING_KNOWN: HealthOf = () => UNKNOWN_HEALTH;

export function createHealthBook(now: () => number): HealthBook {
  const latest = new Map<string, MountHealth>();
  const keyOf = (storyDir: string, skill: string): string => JSON.stringify([storyDir, skill]);
  return {
    note: (storyDir, skill, outcome) => {
      const message = outcome.kind === "completed" ? null : outcome.error.message;
      latest.set(keyOf(storyDir, skill), { status: message === null ? "ok" : "failing", message, at: now() });
    },
    healthOf: (storyDir, skill) => latest.get(keyOf(storyDir, skill)) ?? UNKNOWN_HEALTH,
  };
}
