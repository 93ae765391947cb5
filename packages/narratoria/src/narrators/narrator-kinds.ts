/** The narrators there are, by the name that `story.json` calls them. `runtime/mounts/load-story.ts` opens the one it needs. */
import type { NarratorKind } from "../runtime/mounts/load-story.ts";
import { inkNarrator } from "./ink.ts";
import { stubNarrator } from "./stub.ts";

export const NARRATOR_KINDS: Readonly<Record<string, NarratorKind>> = { ink: inkNarrator, stub: stubNarrator };
