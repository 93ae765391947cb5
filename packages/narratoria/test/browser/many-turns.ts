/** A tree larger than anybody plays in a test. */
import type { TreeNode } from "../../src/runtime/seams/session-service.ts";

/** Half of them one long way, and beside every turn of it another take. */
export function manyTurns(rootId: string, count: number): TreeNode[] {
  const facts = { status: "completed", ending: null, bookmark: null, startedAt: 1 } as const;
  return Array.from({ length: count }, (_, index) => {
    const [step, isWay] = [index >> 1, index % 2 === 0];
    const before = step === 0 ? null : step === 1 ? rootId : `t${step - 1}`;
    const turnId = step === 0 && isWay ? rootId : `${isWay ? "t" : "s"}${step}`;
    return {
      ...facts,
      turnId,
      parentTurnId: before,
      number: step,
      prompt: `Step ${step}`,
      isOnHeadPath: turnId === rootId,
    };
  });
}
