import { expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { logged, numbered } from "../../test/told-events.ts";
import { asRun, progressOf, shownMessage } from "./log-lines.ts";

test.each<[fields: JsonObject | null | undefined, progress: number | null]>([
  [{ progress: 0.25 }, 0.25],
  [{ progress: 0.25, current: 1, total: 2 }, 0.25],
  [{ current: 1, total: 4 }, 0.25],
  [{ progress: "half", current: 1, total: 2 }, 0.5],
  [{ progress: 7 }, 1],
  [{ progress: -1 }, 0],
  [{ current: 1, total: 0 }, null],
  [{ current: 1, total: -2 }, null],
  [{ current: "1", total: 2 }, null],
  [{ current: 1 }, null],
  [{}, null],
  [null, null],
  [undefined, null],
])("[T4.1] %j tells a progress of %j", (fields, progress) => {
  expect(progressOf(fields)).toBe(progress);
});

test("of a message five hundred characters are shown, and no half of one", () => {
  expect(shownMessage("x".repeat(500))).toBe("x".repeat(500));
  expect(shownMessage("x".repeat(501))).toBe(`${"x".repeat(500)}\u2026`);
  expect(shownMessage(`${"x".repeat(499)}\u{1F525}`)).toBe(`${"x".repeat(499)}\uFFFD\u2026`);
});

test("a run is its last line, and how many it ends", () => {
  const [last] = numbered([logged("the last")]);
  if (last?.event !== "tool:event") throw new Error("a line is a tool's event");
  const run = asRun(last, { count: 3, progress: 0.5 });
  expect(run).toEqual({ ...last, data: { ...last.data, lines: { count: 3, progress: 0.5 } } });
  expect(last.data).not.toHaveProperty("lines");
});
