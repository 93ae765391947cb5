import { describe, expect, test } from "vitest";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { createTurnLimits } from "./turn-limits.ts";

const LOG: ToolEvent = { version: "0", type: "log", level: "info", message: "x" };
const PATCH: ToolEvent = { version: "0", type: "state_patch", patch: { a: 1 } };

function choices(count: number): ToolEvent {
  const labels = Array.from({ length: count }, (_, n) => `way ${n}`);
  return { version: "0", type: "ui_event", event: "narrative_choice", payload: { choices: labels } };
}

describe("[Z1.7] what the tools of a turn may say", () => {
  test("a hundred thousand events besides log lines, and not one more", { tags: "large" }, () => {
    const limits = createTurnLimits();
    for (let n = 0; n < 100_000; n++) if (limits.refuse(PATCH, "{}") !== null) throw new Error(`refused after ${n}`);
    expect(limits.refuse(PATCH, "{}")).toEqual({
      category: "forbidden",
      code: "TURN_LIMIT",
      message: "the tools of a turn may give 100000 events besides log lines in all",
    });
    expect(limits.refuse(LOG, "{}")).toBeNull();
  });

  test("64 MiB of them, as bytes; what is refused takes nothing from the others", () => {
    const limits = createTurnLimits();
    // Two bytes a letter.
    const half = "é".repeat(16 * 1024 * 1024);
    expect(limits.refuse(PATCH, half)).toBeNull();
    expect(limits.refuse(PATCH, `${half}x`)?.code).toBe("TURN_LIMIT");
    expect(limits.refuse(PATCH, half)).toBeNull();
    expect(limits.refuse(PATCH, "x")?.code).toBe("TURN_LIMIT");
    expect(limits.refuse(LOG, half)).toBeNull();
  });

  test("a thousand choices, in however many events", () => {
    const limits = createTurnLimits();
    expect(limits.refuse(choices(999), "{}")).toBeNull();
    expect(limits.refuse(choices(2), "{}")?.code).toBe("TURN_LIMIT");
    expect(limits.refuse(choices(1), "{}")).toBeNull();
    expect(limits.refuse(choices(1), "{}")?.message).toContain("1000 choices");
    expect(limits.refuse(PATCH, "{}")).toBeNull();
  });
});
