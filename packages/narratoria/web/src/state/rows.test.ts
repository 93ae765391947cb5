import { describe, expect, test } from "vitest";
import { openAtFirst, visibleRows, waysTo } from "./rows.ts";

const STATE = { inventory: { torch: { lit: true }, bag: [1, 2] }, name: "Ada", empty: {} };

describe("[U1.7] the lines of the state's tree", () => {
  test("closed, only the names at the top are there", () => {
    const rows = visibleRows(STATE, new Set());
    expect(rows.map(({ path, size, level }) => [path, size, level])).toEqual([
      ["/inventory", 2, 1],
      ["/name", null, 1],
      ["/empty", null, 1],
    ]);
  });

  test("what is open shows what it holds, with its place among its siblings", () => {
    const rows = visibleRows(STATE, new Set(["/inventory", "/inventory/bag"]));
    expect(rows.map(({ path, position, siblings }) => `${path} ${position}/${siblings}`)).toEqual([
      "/inventory 1/3",
      "/inventory/torch 1/2",
      "/inventory/bag 2/2",
      "/inventory/bag/0 1/2",
      "/inventory/bag/1 2/2",
      "/name 2/3",
      "/empty 3/3",
    ]);
  });

  test("the ways to what changed are open at first", () => {
    expect([...waysTo(["/a/b~1c/d"])]).toEqual(["/a", "/a/b~1c"]);
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, { x: { y: 1 } }]));
    expect([...openAtFirst(wide, ["/k7/x/y"])]).toEqual(["/k7", "/k7/x"]);
  });

  test("a small state is open all the way, a large one no further than fits", () => {
    expect(openAtFirst(STATE, [])).toEqual(new Set(["/inventory", "/inventory/torch", "/inventory/bag"]));
    const large = { few: [1, 2, 3], many: Array.from({ length: 100_000 }, (_, index) => index) };
    expect(openAtFirst(large, [])).toEqual(new Set(["/few"]));
  });
});
