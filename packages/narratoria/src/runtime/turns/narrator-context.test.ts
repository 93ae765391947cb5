import { expect, test } from "vitest";
import type { Telling } from "../../story/session-state.ts";
import { NARRATOR_BYTES } from "../../story/tellings.ts";
import { historyFrom } from "./narrator-context.ts";

const telling = (prompt: string | null, narrative: string): Telling => ({ prompt, narrative });

test("[K1.7] what fits is told whole", () => {
  const tellings = [telling(null, "One.\n\nTwo."), telling("go", "Three.")];
  expect(historyFrom(tellings, 2)).toEqual({ history: tellings, compaction: [] });
});

test("[K1.7] [K1.2] the oldest go first, prompt and answer together, and the log hears how much", () => {
  const long = "z".repeat(NARRATOR_BYTES - 2);
  const { history, compaction } = historyFrom([telling("é", "xx"), telling("yy", long)], 2);
  expect(history).toEqual([telling("yy", long)]);
  expect(compaction.map(({ event, data }) => [event, data])).toEqual([
    ["context:pre_compact", { bytes: NARRATOR_BYTES + 4 }],
    ["context:post_compact", { delta_bytes: -4, turns: 1 }],
  ]);
});

test("[K1.7] [K1.2] of more turns than are kept at hand, all that fits is told, and the log hears how many are not", () => {
  const tellings = Array.from({ length: 3 }, () => telling("go", "on"));
  const { history, compaction } = historyFrom(tellings, 2_003);
  expect(history).toEqual(tellings);
  expect(compaction.map(({ event, data }) => [event, data])).toEqual([
    ["context:pre_compact", { bytes: 12 }],
    ["context:post_compact", { delta_bytes: 0, turns: 2_000 }],
  ]);
});
