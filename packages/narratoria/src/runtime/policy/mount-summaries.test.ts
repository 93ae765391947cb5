import { describe, expect, test } from "vitest";
import { createHealthBook, NOTHING_KNOWN } from "../mounts/mount-health.ts";
import { mountSummaries } from "./mount-summaries.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import type { AttemptOutcome } from "../seams/tool-runner.ts";

const lamp = bareTool("/story/tools/lamp", "lamp");
const story = { dir: "/story", mounts: new Map([["lamp", lamp]]) };
const failed: AttemptOutcome = {
  kind: "failed",
  error: { category: "tool_failure", code: "WET", message: "the wick is wet" },
};

describe("a summary of mounts", () => {
  test("tells what a mount is, needs and was granted", async () => {
    expect(await mountSummaries(story, { grantsOf: async () => ["net.fetch"] }, NOTHING_KNOWN)).toEqual([
      {
        name: "lamp",
        story: "/story",
        protocol: "narratoria/0",
        kind: "tool",
        description: null,
        capabilities: [],
        grants: ["net.fetch"],
        health: { status: "unknown", message: null, at: null },
      },
    ]);
  });

  test("tells how it went the last time", async () => {
    const { note, healthOf } = createHealthBook(() => 7);
    const health = async (): Promise<unknown> =>
      (await mountSummaries(story, { grantsOf: async () => [] }, healthOf))[0]?.health;

    note("/story", "lamp", failed);
    expect(await health()).toEqual({ status: "failing", message: "the wick is wet", at: 7 });
    note("/story", "lamp", { kind: "completed", summary: null });
    expect(await health()).toEqual({ status: "ok", message: null, at: 7 });
    expect(healthOf("/another", "lamp").status).toBe("unknown");
  });
});
