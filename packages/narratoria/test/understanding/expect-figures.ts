/** What the matcher must reach on a part of the corpus, and that docs/understanding.md shows what it does reach. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { tableOf } from "./figures-table.ts";
import { figuresOf, scoreAll, type Scored } from "./score-corpus.ts";

const PAGE = fileURLToPath(new URL("../../../../docs/understanding.md", import.meta.url));

export async function expectFigures(part: "open" | "kept"): Promise<void> {
  const all = await expectNoWrongDeed(part);
  const { shouldWork, done, doneOrAsked, shouldRefuse, askedInVain } = figuresOf(all);
  expect(done / shouldWork).toBeGreaterThanOrEqual(0.7);
  expect(doneOrAsked / shouldWork).toBeGreaterThanOrEqual(0.9);
  expect(askedInVain / shouldRefuse).toBeLessThanOrEqual(0.25);
}

/** And the page shows the table of this part as it is now. */
export async function expectNoWrongDeed(part: "open" | "kept"): Promise<Scored[]> {
  const scored = await scoreAll(part);
  const all = [...scored.values()].flat();
  const wrong = all.filter(({ verdict }) => verdict === "wrong deed");
  expect(wrong.map(({ entry, outcome }) => `${entry.file}:${entry.line} did ${outcome.done.join(" + ")}`)).toEqual([]);
  expect(readFileSync(PAGE, "utf8"), "this table belongs into docs/understanding.md").toContain(tableOf(scored));
  return all;
}
