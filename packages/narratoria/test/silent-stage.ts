/** A stage on which nothing is told and no tool is described: for narrators that use neither. */
import type { Stage } from "../src/runtime/seams/narrator.ts";

export const SILENT_STAGE: Stage = {
  tell: () => Promise.resolve(),
  tools: () => Promise.resolve([]),
  noteDecisions: () => Promise.resolve(),
};
