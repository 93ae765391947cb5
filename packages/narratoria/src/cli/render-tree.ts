/** The tree of turns as lines: one column for the way taken, a step to the right for every other take. */
import type { TreeNode } from "../index.ts";
import type { Terminal } from "./terminal.ts";
import { cleanLine } from "./terminal-text.ts";

/** Numbered by their place in the list, which is what `/go` takes. */
export function renderTree(tree: readonly TreeNode[], headTurnId: string | null, terminal: Terminal): string[] {
  const { style } = terminal;
  const numbers = new Map(tree.map(({ turnId }, index) => [turnId, index]));
  const children = Map.groupBy(tree, ({ parentTurnId }) => parentTurnId);
  const lines: string[] = [];
  const pending = (children.get(null) ?? []).map((turn) => ({ turn, depth: 0 })).toReversed();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { turn, depth } = next;
    lines.push(renderTurn(turn, depth));
    // The way taken comes last, below the takes beside it, so that it reads on without a break.
    const takes = (children.get(turn.turnId) ?? []).toSorted((a, b) => Number(a.isOnHeadPath) - Number(b.isOnHeadPath));
    const deeper = takes.map((take, index) => ({ turn: take, depth: depth + (index === takes.length - 1 ? 0 : 1) }));
    pending.push(...deeper.toReversed());
  }
  return lines;

  function renderTurn(turn: TreeNode, depth: number): string {
    const isHead = turn.turnId === headTurnId;
    const number = String(numbers.get(turn.turnId)).padStart(4);
    const asides = [
      turn.bookmark === null ? null : `"${cleanLine(turn.bookmark, 30)}"`,
      turn.ending === null ? null : `ending: ${cleanLine(turn.ending, 30)}`,
      turn.status === "completed" ? null : turn.status,
      isHead ? "you are here" : null,
    ].filter((aside) => aside !== null);
    const aside = asides.length === 0 ? "" : `  (${asides.join(", ")})`;
    const prompt = cleanLine(
      turn.prompt ?? "the beginning",
      Math.max(10, terminal.columns() - 10 - depth * 3 - aside.length),
    );
    const line = `${number}  ${"   ".repeat(Math.min(depth, 10))}${turn.isOnHeadPath ? "*" : "-"} ${prompt}${aside}`;
    if (isHead) return style.bold(line);
    return turn.isOnHeadPath ? line : style.dim(line);
  }
}
