import fc from "fast-check";
import { expect, test } from "vitest";
import type { Telling } from "./session-state.ts";
import { KEPT_BYTES, keepLatest, latestTellings, NARRATOR_BYTES, sizeOfTelling, sizeOfTellings } from "./tellings.ts";

const telling = fc.record({ prompt: fc.option(fc.string()), narrative: fc.string({ unit: "grapheme" }) });

test("[N1.1] four times as much is kept as a narrator is told", () => {
  expect([KEPT_BYTES, NARRATOR_BYTES]).toEqual([262_144, 65_536]);
});

test("a telling weighs its bytes", () => {
  expect(sizeOfTelling({ prompt: null, narrative: "" })).toBe(0);
  expect(sizeOfTelling({ prompt: "go", narrative: "é" })).toBe(4);
  expect(
    sizeOfTellings([
      { prompt: "go", narrative: "é" },
      { prompt: null, narrative: "" },
    ]),
  ).toBe(4);
});

test("[N1.1] the longest row of latest tellings that fits is kept: with one more it would not", () => {
  fc.assert(
    fc.property(fc.array(telling), fc.nat(600), (tellings, mostBytes) => {
      const kept = latestTellings(tellings, mostBytes);
      expect(tellings.slice(tellings.length - kept.length)).toEqual(kept);
      expect(sizeOfTellings(kept)).toBeLessThanOrEqual(mostBytes);
      const longer = tellings.slice(tellings.length - kept.length - 1);
      if (kept.length < tellings.length) expect(sizeOfTellings(longer)).toBeGreaterThan(mostBytes);
    }),
  );
});

test("[N1.1] kept turn by turn, they are the same as read back from the end", () => {
  fc.assert(
    fc.property(fc.array(telling), fc.nat(600), (tellings, mostBytes) => {
      const turnByTurn = tellings.reduce<readonly Telling[]>(
        (kept, next) => latestTellings([...kept, next], mostBytes),
        [],
      );
      expect(turnByTurn).toEqual(latestTellings(tellings, mostBytes));
    }),
  );
});

test("where all fit, the caller gets its own list back", () => {
  const tellings = [{ prompt: null, narrative: "x" }];
  expect(latestTellings(tellings, 1)).toBe(tellings);
  expect(latestTellings(tellings, 0)).toEqual([]);
});

test("[N1.1] [Z1.7] of turns in which nothing was told so many are kept, and no more are read", () => {
  const tellings = Array.from({ length: 2_100 }, (_, n) => ({ prompt: null, narrative: n < 100 ? "old" : "" }));
  const keeper = keepLatest(1_000_000);
  expect(latestTellings(tellings, 1_000_000)).toEqual(tellings.slice(100));
  expect(tellings.toReversed().findIndex((telling) => !keeper.addBefore(telling))).toBe(2_000);
  expect(keeper.kept()).toEqual(tellings.slice(100));
});
