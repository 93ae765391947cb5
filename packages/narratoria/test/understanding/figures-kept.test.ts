/** The kept part of the corpus: no wrong deed; the other targets it misses still, and docs/understanding.md says so. */
import { test } from "vitest";
import { expectNoWrongDeed } from "./expect-figures.ts";

test(
  "[L1.1] the kept part: no deed is wrong, and its figures are those that the page shows",
  { timeout: 120_000 },
  () => expectNoWrongDeed("kept"),
);
