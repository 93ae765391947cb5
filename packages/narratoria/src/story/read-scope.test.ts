import type { JsonObject } from "@narratoria/tool/json";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../test/arbitrary-json.ts";
import { visibleState } from "./read-scope.ts";

const state = deepFreeze({
  inventory: { torch: { lit: true, oil: 3 }, sword: { sharp: true } },
  rooms: [{ name: "cellar" }, { name: "hall" }],
  "a/b": { "~": 1 },
  health: 10,
  nothing: null,
});

describe("[T1.3] a tool is shown what its manifest reads, in the state's own shape", () => {
  test.each<[name: string, reads: string[], visible: JsonObject]>([
    ["nothing", [], {}],
    ["a branch", ["/inventory"], { inventory: state.inventory }],
    ["a leaf", ["/inventory/torch/oil"], { inventory: { torch: { oil: 3 } } }],
    [
      "two leaves of one branch",
      ["/inventory/torch/oil", "/inventory/sword/sharp"],
      { inventory: { torch: { oil: 3 }, sword: { sharp: true } } },
    ],
    [
      "a branch and a leaf of it",
      ["/inventory/torch", "/inventory/torch/oil"],
      { inventory: { torch: { lit: true, oil: 3 } } },
    ],
    [
      "a leaf and the branch around it",
      ["/inventory/torch/oil", "/inventory/torch"],
      { inventory: { torch: { lit: true, oil: 3 } } },
    ],
    ["everything", [""], state],
    ["everything after a part", ["/health", ""], state],
    ["a list, whole, for a pointer into it", ["/rooms/1/name"], { rooms: state.rooms }],
    ["escaped keys", ["/a~1b/~0"], { "a/b": { "~": 1 } }],
    ["a null", ["/nothing"], { nothing: null }],
    ["nothing where there is nothing", ["/magic", "/health/points"], {}],
    ["an empty branch where only the leaf is missing", ["/inventory/rope"], { inventory: {} }],
    ["nothing of what all objects inherit", ["/toString", "/inventory/constructor"], { inventory: {} }],
  ])("%s", (_, reads, visible) => {
    expect(visibleState(state, reads)).toStrictEqual(visible);
  });

  test.each([["/__proto__"], [""], ["/__proto__/x"]])("[S1.2] __proto__ is a key like any other: %j", (pointer) => {
    const hostile = JSON.parse('{"__proto__":{"x":1}}') as JsonObject;
    const visible = visibleState(hostile, [pointer]);
    expect(JSON.stringify(visible)).toBe('{"__proto__":{"x":1}}');
    expect(Object.getPrototypeOf(visible)).toBe(Object.prototype);
  });

  test("a pointer that is none is a bug of ours, not a way to see everything", () => {
    expect(() => visibleState(state, ["inventory"])).toThrow("not a JSON pointer");
  });
});

describe("[T1.3] a tool without a manifest is shown everything up to 256 KiB", () => {
  const room = 256 * 1024 - '{"text":""}'.length;

  test("to the last byte", () => {
    const full = { text: "x".repeat(room) };
    expect(visibleState(full, "everything")).toBe(full);
    expect(visibleState({ text: "x".repeat(room + 1) }, "everything")).toBeNull();
  });

  test("bytes are counted, not characters", () => {
    expect(visibleState({ text: "ä".repeat(room / 2) }, "everything")).not.toBeNull();
    expect(visibleState({ text: "ä".repeat(room / 2 + 1) }, "everything")).toBeNull();
  });
});
