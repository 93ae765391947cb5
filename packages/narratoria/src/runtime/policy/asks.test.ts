import { expect, test } from "vitest";
import { createAskDesk } from "./asks.ts";

const ASK = { sessionId: "s", askId: "q", allowed: ["yes", "no"] };

test("[K1.9] an answer must be one of those offered, and counts once", async () => {
  const desk = createAskDesk();
  const waiting = desk.wait(ASK, new AbortController().signal);
  expect(desk.answer("s", "q", "perhaps")).toBe(false);
  expect(desk.answer("s", "other", "yes")).toBe(false);
  expect(desk.answer("s", "q", "no")).toBe(true);
  expect(await waiting).toBe("no");
  expect(desk.answer("s", "q", "yes")).toBe(false);
});

test("[K1.9] a question is answered in its own session only", async () => {
  const desk = createAskDesk();
  const waiting = desk.wait(ASK, new AbortController().signal);
  expect(desk.answer("another", "q", "yes")).toBe(false);
  expect(desk.answer("s", "q", "no")).toBe(true);
  expect(await waiting).toBe("no");
});

test("[K1.9] no answer means none: when the turn ends, before or after asking", async () => {
  const desk = createAskDesk();
  const stop = new AbortController();
  const waiting = desk.wait(ASK, stop.signal);
  stop.abort();
  expect(await waiting).toBeNull();
  expect(await desk.wait({ ...ASK, askId: "r" }, stop.signal)).toBeNull();
  expect(desk.answer("s", "q", "yes")).toBe(false);
});
