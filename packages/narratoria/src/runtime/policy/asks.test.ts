import { expect, test } from "vitest";
import { createAskDesk } from "./asks.ts";

test("[K1.9] an answer must be one of those offered, and counts once", async () => {
  const desk = createAskDesk();
  const waiting = desk.wait("q", ["yes", "no"], new AbortController().signal);
  expect([desk.answer("q", "perhaps"), desk.answer("other", "yes"), desk.answer("q", "no")]).toEqual([
    false,
    false,
    true,
  ]);
  expect(await waiting).toBe("no");
  expect(desk.answer("q", "yes")).toBe(false);
});

test("[K1.9] no answer means none: when the turn ends, before or after asking", async () => {
  const desk = createAskDesk();
  const stop = new AbortController();
  const waiting = desk.wait("q", ["yes"], stop.signal);
  stop.abort();
  expect(await waiting).toBeNull();
  expect(await desk.wait("r", ["yes"], stop.signal)).toBeNull();
  expect(desk.answer("q", "yes")).toBe(false);
});
