import { expect, test } from "vitest";
import { mostDescriptors, shareDescriptors } from "./descriptors.ts";

test("[Z1.8] with many there is what was wanted, and most are for connections", () => {
  expect(shareDescriptors(4, 1_048_576)).toEqual({
    slots: 4,
    restingModules: 32,
    restingServers: 16,
    connections: 1_048_576 - 64 - 4 * 16 - 48 * 8,
    readers: Math.floor(((1_048_576 - 64 - 4 * 16 - 48 * 8) * 3) / 4),
  });
  expect(shareDescriptors(4, Infinity)).toMatchObject({ slots: 4, connections: Infinity, readers: Infinity });
});

test("[Z1.8] with few, tools come before what rests, and that before connections", () => {
  expect(shareDescriptors(8, 256)).toEqual({
    slots: 6,
    restingModules: 4,
    restingServers: 2,
    connections: 192 - 6 * 16 - 6 * 8,
    readers: 36,
  });
});

test.each([0, 64, 65, 80])("[Z1.8] with next to none (%i) one tool runs, and a few can ask", (most) => {
  const shares = { slots: 1, restingModules: 0, restingServers: 0, connections: 8, readers: 6 };
  expect(shareDescriptors(4, most)).toEqual(shares);
});

test("[Z1.8] as many as wanted, not more", () => {
  expect([1, 2, 3].map((wanted) => shareDescriptors(wanted, 4096).slots)).toEqual([1, 2, 3]);
});

test("how many there may be is what the system says, and a number", () => {
  expect(mostDescriptors()).toBeGreaterThan(64);
});
