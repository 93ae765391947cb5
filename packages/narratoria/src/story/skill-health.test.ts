import { expect, test } from "vitest";
import { noteOutcome, restingSkills, type HealthRecord } from "./skill-health.ts";

const NOBODY = new Map<string, number>();

const after = (outcomes: boolean[], turn = 10): HealthRecord =>
  outcomes.reduce<HealthRecord>((record, ok) => noteOutcome(record, "lamp", ok, turn), {});

test.each([
  [0, undefined],
  [2, "healthy"],
  [3, "degraded"],
  [5, "degraded"],
  [6, "disabled"],
  [9, "disabled"],
])("[N1.5] %i failures in a row: %s", (failures, status) => {
  expect(after(Array<boolean>(failures).fill(false))["lamp"]?.status).toBe(status);
});

test("[N1.5] a success heals at once, and others are not touched", () => {
  const others = noteOutcome({}, "bell", false, 1);
  const record = [false, false, false, true].reduce((health, ok) => noteOutcome(health, "lamp", ok, 1), others);
  expect(record).toEqual(others);
  expect(after([false, false, true, false])["lamp"]?.consecutiveFailures).toBe(1);
});

test("[N1.5] a disabled skill rests for five turns, and one more failure disables it again", () => {
  const record = after(Array<boolean>(6).fill(false), 10);
  expect([10, 11, 15, 16].map((turn) => restingSkills(record, turn, NOBODY))).toEqual([
    ["lamp"],
    ["lamp"],
    ["lamp"],
    [],
  ]);
  const again = noteOutcome(record, "lamp", false, 16);
  expect([17, 21, 22].map((turn) => restingSkills(again, turn, NOBODY).length)).toEqual([1, 1, 0]);
});

test("[N1.5] a skill may be called anything", () => {
  const record = noteOutcome({}, "__proto__", false, 1);
  expect(Object.keys(record)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
});

test("[N1.5] a skill the player enabled is tried again at once, until it is disabled anew", () => {
  const failing = (turn: number, record: HealthRecord): HealthRecord => noteOutcome(record, "lamp", false, turn);
  const record = Array.from({ length: 6 }).reduce<HealthRecord>((health) => failing(10, health), {});
  const enabled = new Map([["lamp", 11]]);
  expect(restingSkills(record, 12, enabled)).toEqual([]);
  expect(restingSkills(failing(12, record), 13, enabled)).toEqual(["lamp"]);
});

test("[N1.5] a success of a skill that never failed changes nothing", () => {
  const record = noteOutcome({}, "bell", false, 1);
  expect(noteOutcome(record, "lamp", true, 2)).toBe(record);
});

test("[N1.5] a degraded skill does not rest, in whatever turn", () => {
  expect(restingSkills(after([false, false, false], 1), 1, NOBODY)).toEqual([]);
});

test.each([0, 1])("[N1.5] a skill disabled in turn %i rests, unless it was enabled in that turn", (turn) => {
  const record = after(Array<boolean>(6).fill(false), turn);
  expect(restingSkills(record, turn, NOBODY)).toEqual(["lamp"]);
  expect(restingSkills(record, turn, new Map([["lamp", turn]]))).toEqual([]);
});
