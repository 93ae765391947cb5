/** How the mounts of this host fare: what became of each one's last attempt. It is for people; it decides nothing. */
import type { ToolRunner } from "../seams/tool-runner.ts";

export interface MountHealth {
  /** `unknown` until it was first used. */
  status: "unknown" | "ok" | "failing";
  /** Why it fails. */
  message: string | null;
  /** When that was, in milliseconds since 1970. */
  at: number | null;
}

export type HealthOf = (storyDir: string, skill: string) => MountHealth;

export const UNKNOWN_HEALTH: MountHealth = { status: "unknown", message: null, at: null };

/** Runs tools as the runner does, and remembers how it went. What was cancelled says nothing about a tool. */
export function watchHealth(runner: ToolRunner, now: () => number): { runner: ToolRunner; healthOf: HealthOf } {
  const latest = new Map<string, MountHealth>();
  const keyOf = (storyDir: string, skill: string): string => JSON.stringify([storyDir, skill]);
  return {
    runner: {
      ...runner,
      run: async (call, sink, signal) => {
        const report = await runner.run(call, sink, signal);
        const { outcome } = report;
        const message = outcome.kind === "completed" ? null : outcome.error.message;
        const health: MountHealth = { status: message === null ? "ok" : "failing", message, at: now() };
        if (!signal.aborted) latest.set(keyOf(call.storyDir, call.tool.skill), health);
        return report;
      },
    },
    healthOf: (storyDir, skill) => latest.get(keyOf(storyDir, skill)) ?? UNKNOWN_HEALTH,
  };
}
