/** What the kept part of the corpus holds: it was run when the matcher was done, and nothing was tuned on it. */
import { test } from "vitest";
import { expectFigures } from "./expect-figures.ts";

test("[L1.1] the kept part of the corpus", () => expectFigures("kept"));
