import { expect, test } from "vitest";
import type { Telling } from "../../story/session-state.ts";
import { NARRATOR_BYTES } from "../../story/tellings.ts";
import { historyFrom } from "./narrator-context.ts";

const telling = (prompt: string | null, narrative: string): Telling => ({ prompt, narrative });

test("[K1.7] what fits is told whole", () => {
  const tellings = [telling(null, "One.\n\nTwo."), telling("go", "Three.")];
  expect(historyFrom(tellings)).toEqual({ history: tellings, compaction: [] });
});

test("[K1.7] [K1.2] the oldest go first, prompt and answer together, and the log hears how much", () => {
  const long = "z".repeat(NARRATOR_BYTES - 2);
  const { history, compaction } = historyFrom([telling("é", "xx"), telling("yy", long)]);
  expect(history).toEqual([telling("yy", long)]);
  expect(compaction.map(({ event, data }) => [event, data])).toEqual([
    ["context:pre_compact", { bytes: NARRATOR_BYTES + 4 }],
    ["context:post_compact", { delta_bytes: -4 }],
  ]);
});
