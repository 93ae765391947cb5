/** What the open part of the corpus holds: no wrong deed, and how much is done, asked and refused. */
import { test } from "vitest";
import { expectFigures } from "./expect-figures.ts";

test("[L1.1] the open part of the corpus", () => expectFigures("open"));
