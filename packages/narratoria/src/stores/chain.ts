/**
 * The chain of checksums: what is stored in a row is hashed together with the checksum of the row before it in the same
 * session. A row that was changed, and a place where one is missing, no longer fit what follows (`find-damage.ts`).
 */
import { hash } from "node:crypto";

export interface BlockCells {
  firstSeq: number;
  lastSeq: number;
  firstNumber: number;
  progress: number | null;
  envelope: string;
  isCompressed: number;
  lines: Uint8Array;
}

export function startOfChain(sessionId: string): string {
  return sessionId;
}

export function chainEvent(before: string, seq: number, json: string): string {
  return hash("sha256", `${before}\n${seq}\n${json}`, "base64url");
}

export function chainBlock(before: string, block: BlockCells): string {
  const { firstSeq, lastSeq, firstNumber, progress, isCompressed, envelope } = block;
  // The lines are hashed first, so that they need not be copied into one buffer with the rest.
  const lines = hash("sha256", block.lines, "base64url");
  const cells = [before, firstSeq, lastSeq, firstNumber, progress, isCompressed, lines, envelope];
  return hash("sha256", cells.join("\n"), "base64url");
}
