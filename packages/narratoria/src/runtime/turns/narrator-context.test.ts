import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionView, TurnView } from "../../story/session-view.ts";
import { contextFor } from "./narrator-context.ts";

const turn = (turnId: string, prompt: string | null, ...texts: string[]): TurnView =>
  ({ turnId, prompt, passages: texts.map((text) => ({ kind: "text", text })) }) as unknown as TurnView;
const view = (...turns: TurnView[]): SessionView => ({ turns }) as unknown as SessionView;

test("[K1.7] what fits is told whole, without the turn that is being told", () => {
  const context = contextFor(view(turn("a", null, "One.", "Two."), turn("b", "go", "Three."), turn("c", "now")), "c");
  expect(context).toEqual({
    history: [
      { prompt: null, narrative: "One.\n\nTwo." },
      { prompt: "go", narrative: "Three." },
    ],
    compaction: [],
  });
});

test("[K1.7] [K1.2] the oldest go first, prompt and answer together, and the log hears how much", () => {
  const turns = [turn("a", "é", "xx"), turn("b", "yy", "zz"), turn("c", "now")];
  const { history, compaction } = contextFor(view(...turns), "c", 5);
  expect(history).toEqual([{ prompt: "yy", narrative: "zz" }]);
  expect(compaction.map(({ event, data }) => [event, data])).toEqual([
    ["context:pre_compact", { bytes: 8 }],
    ["context:post_compact", { delta_bytes: -4 }],
  ]);
});

test("[K1.7] whatever the budget: never more than it, always the latest turns, none of them cut", () => {
  const pair = fc.tuple(fc.string(), fc.string());
  fc.assert(
    fc.property(fc.array(pair), fc.nat(60), (pairs, budget) => {
      const turns = pairs.map(([prompt, text], index) => turn(`t${index}`, prompt, text));
      const { history } = contextFor(view(...turns), "none", budget);
      const bytes = history.reduce((sum, { prompt, narrative }) => sum + Buffer.byteLength(`${prompt}${narrative}`), 0);
      expect(bytes).toBeLessThanOrEqual(budget);
      expect(history).toEqual(
        pairs.slice(pairs.length - history.length).map(([prompt, narrative]) => ({ prompt, narrative })),
      );
    }),
  );
});
