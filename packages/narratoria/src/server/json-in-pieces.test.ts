import { expect, test } from "vitest";
import { jsonInPieces } from "./json-in-pieces.ts";

test.each([[[]], [["one"]], [Array.from({ length: 3_000 }, (_, n) => ({ n, text: "é".repeat(500) }))]])(
  "a list in pieces reads like one that was written at once",
  async (list) => {
    const answer = jsonInPieces({ turn: { id: "t" }, plans: [] }, "trace", list);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual({ turn: { id: "t" }, plans: [], trace: list });
  },
);

test("a long list is encoded as it is read, not before", async () => {
  let encoded = 0;
  const list = Array.from({ length: 10_000 }, () => ({
    toJSON: () => {
      encoded++;
      return "x".repeat(1_000);
    },
  }));
  const reader = jsonInPieces({ a: 1 }, "list", list).body?.getReader();
  await reader?.read();
  await reader?.read();
  expect(encoded).toBeLessThan(list.length / 2);
  await reader?.cancel();
});
