import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TreeNode } from "../../../src/runtime/seams/session-service.ts";
import { layOut, neighbour, pathTo, type PlacedTurn, type TurnLayout } from "./layout.ts";

/** Turns named by letters: `ab` is a child of `a`. */
const layout = layOut(
  ["a", "ab", "abd", "ac", "ace"].map((id) => node(id, id.slice(0, -1), id !== "ab" && id !== "abd")),
);

describe("[U1.4] the picture of the tree", () => {
  test("a first child stands below its turn, another take beside it", () => {
    expect(layout.turns.map(({ node: { turnId }, row, lane }) => `${turnId} ${row} ${lane}`)).toEqual([
      "a 0 0",
      "ab 1 0",
      "abd 2 0",
      "ac 1 1",
      "ace 2 1",
    ]);
  });

  test("arrows go to the parent, along the way to the head, and through the takes", () => {
    const steps = (from: string, ...directions: Parameters<typeof neighbour>[2][]): string | undefined =>
      directions.reduce<PlacedTurn | null>((at, to) => at && neighbour(layout, at, to), turn(layout, from))?.node
        .turnId;
    expect(steps("ace", "up", "up")).toBe("a");
    expect(steps("a", "down")).toBe("ac");
    expect(steps("ac", "left", "down")).toBe("abd");
    expect(steps("abd", "right")).toBe("ace");
    expect(steps("a", "up")).toBeUndefined();
    expect(steps("ab", "left")).toBeUndefined();
  });

  test("no two turns stand in one place, in a tree of any shape", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 200 }), (parents) => {
        const nodes = parents.map((parent, index) => node(`t${index}`, index === 0 ? "" : `t${parent % index}`, true));
        const { turns } = layOut(nodes);
        expect(turns).toHaveLength(nodes.length);
        expect(new Set(turns.map(({ row, lane }) => `${row} ${lane}`)).size).toBe(nodes.length);
        for (const {
          node: { turnId },
          row,
          parent,
        } of turns) {
          expect(row, turnId).toBe(parent === null ? 0 : parent.row + 1);
        }
      }),
    );
  });

  test("a way of 20,000 turns is laid out, and walked", () => {
    const nodes = Array.from({ length: 20_000 }, (_, index) => node(`t${index}`, `t${index - 1}`, true));
    const long = layOut(nodes);
    expect(long.lanes).toBe(1);
    expect(pathTo(turn(long, "t19999"))).toHaveLength(20_000);
  });
});

function turn({ byId }: TurnLayout, id: string): PlacedTurn {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`there is no turn ${id}`);
  return found;
}

function node(turnId: string, parentTurnId: string, isOnHeadPath: boolean): TreeNode {
  return {
    ...{ turnId, parentTurnId, isOnHeadPath, number: 0, prompt: "go", status: "completed" },
    ...{ ending: null, bookmark: null, startedAt: 0 },
  };
}
