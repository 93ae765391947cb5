/** Where each turn stands in the picture: a row for each step of the story, a lane for each path. Pure numbers. */
import type { TreeNode } from "../../../src/runtime/seams/session-service.ts";

export interface PlacedTurn {
  node: TreeNode;
  row: number;
  lane: number;
  parent: PlacedTurn | null;
  /** Takes of the next moment, oldest first. */
  children: PlacedTurn[];
}

export interface TurnLayout {
  turns: PlacedTurn[];
  byId: Map<string, PlacedTurn>;
  /** Turns by row, for finding quickly what is in sight. */
  rows: PlacedTurn[][];
  lanes: number;
}

/** A turn stands above its first child; every further child begins a lane to the right of all before it. */
export function layOut(nodes: readonly TreeNode[]): TurnLayout {
  const byId = new Map<string, PlacedTurn>();
  for (const node of nodes) byId.set(node.turnId, { node, row: 0, lane: 0, parent: null, children: [] });
  const roots: PlacedTurn[] = [];
  for (const turn of byId.values()) {
    turn.parent = byId.get(turn.node.parentTurnId ?? "") ?? null;
    (turn.parent?.children ?? roots).push(turn);
  }

  const turns: PlacedTurn[] = [];
  const rows: PlacedTurn[][] = [];
  let lanes = 0;
  // A story may be thousands of turns deep: a stack of our own, first child on top.
  const pending = roots.toReversed();
  for (let turn = pending.pop(); turn !== undefined; turn = pending.pop()) {
    const { parent } = turn;
    turn.row = parent === null ? 0 : parent.row + 1;
    turn.lane = parent !== null && parent.children[0] === turn ? parent.lane : lanes++;
    turns.push(turn);
    (rows[turn.row] ??= []).push(turn);
    pending.push(...turn.children.toReversed());
  }
  return { turns, byId, rows, lanes };
}

export type Direction = "up" | "down" | "left" | "right";

/** Up to the parent, down to the child (the one on the way to the head, if any), sideways through the takes. */
export function neighbour(layout: TurnLayout, turn: PlacedTurn, direction: Direction): PlacedTurn | null {
  if (direction === "up") return turn.parent;
  if (direction === "down") return turn.children.find(({ node }) => node.isOnHeadPath) ?? turn.children[0] ?? null;
  const takes = turn.parent?.children ?? layout.rows[0] ?? [];
  const at = takes.indexOf(turn) + (direction === "left" ? -1 : 1);
  if (takes[at] !== undefined) return takes[at];
  // At the last take, on to the next path on this row.
  const row = layout.rows[turn.row] ?? [];
  return row[row.indexOf(turn) + (direction === "left" ? -1 : 1)] ?? null;
}

/** From the beginning to this turn. */
export function pathTo(turn: PlacedTurn): PlacedTurn[] {
  const path: PlacedTurn[] = [];
  for (let at: PlacedTurn | null = turn; at !== null; at = at.parent) path.push(at);
  return path.toReversed();
}
