import fc from "fast-check";
import { expect, test } from "vitest";
import type { Telling } from "../../story/session-state.ts";
import { latestTellings, NARRATOR_BYTES } from "../../story/tellings.ts";
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

test("[K1.7] whatever the budget: never more than it, always the latest turns, none of them cut", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ prompt: fc.string(), narrative: fc.string() })), fc.nat(60), (all, budget) => {
      const kept = latestTellings(all, budget);
      const bytes = kept.reduce((sum, { prompt, narrative }) => sum + Buffer.byteLength(`${prompt}${narrative}`), 0);
      expect(bytes).toBeLessThanOrEqual(budget);
      expect(kept).toEqual(all.slice(all.length - kept.length));
      const next = all[all.length - kept.length - 1];
      if (next !== undefined) expect(bytes + Buffer.byteLength(next.prompt + next.narrative)).toBeGreaterThan(budget);
    }),
  );
});

test("[G1.7] kept turn by turn or read back from the end, it is the same history", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ prompt: fc.string(), narrative: fc.string() })), fc.nat(60), (all, budget) => {
      const warm = all.reduce<readonly Telling[]>((kept, next) => latestTellings([...kept, next], budget), []);
      expect(warm).toEqual(latestTellings(all, budget));
    }),
  );
});
