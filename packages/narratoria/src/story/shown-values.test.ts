/** How much a view shows of what tools say: each limit at its last value and one beyond. */
import { describe, expect, test } from "vitest";
import type { AssetRecord, ErrorDetail } from "./execution-result.ts";
import type { Passage } from "./session-view.ts";
import {
  isLeftOut,
  leftOut,
  MOST_PAGE_BYTES,
  MOST_PASSAGES,
  MOST_SHOWN_BYTES,
  MOST_SHOWN_CHARACTERS,
  shownAsset,
  shownError,
  shownText,
  shownValue,
  weightOf,
} from "./shown-values.ts";
import { sizeOf } from "./state-size.ts";

const CUT = `${"x".repeat(4096)}…`;

test("a page stays small: so much of a value, of a text, and of all together", () => {
  const limits = [MOST_SHOWN_BYTES, MOST_SHOWN_CHARACTERS, MOST_PASSAGES, MOST_PAGE_BYTES];
  expect(limits).toEqual([65_536, 4_096, 2_000, 1_048_576]);
});

test("a value is shown whole, or a note says how large it is", () => {
  const value = { ten: "0123456789" };
  const size = sizeOf(value);
  expect(shownValue(value, size + 1)).toBe(value);
  expect(shownValue(value, size)).toBe(value);
  expect(shownValue(value, size - 1)).toBe(`(${size} bytes, too many to be shown here: the log has them)`);
});

test("of a text the beginning is shown, and no half of a character", () => {
  expect(["", "x".repeat(4095), "x".repeat(4096)].map(shownText)).toEqual(["", "x".repeat(4095), "x".repeat(4096)]);
  expect(shownText("x".repeat(4097))).toBe(CUT);
  expect(shownText(`${"x".repeat(4095)}\u{1F525}`)).toBe(`${"x".repeat(4095)}\uFFFD…`);
});

describe("an error", () => {
  const error: ErrorDetail = { category: "tool_failure", code: "E", message: "it broke" };
  const ofSize = (size: number) => filled(size, (text) => ({ text }));

  test("is shown with its details, when they are small; without any it has none", () => {
    expect(shownError(error)).toStrictEqual(error);
    expect(shownError({ ...error, details: { at: 7 } })).toStrictEqual({ ...error, details: { at: 7 } });
    expect(shownError({ ...error, details: ofSize(4096) })).toStrictEqual({ ...error, details: ofSize(4096) });
    expect(shownError({ ...error, details: ofSize(4097) })).toStrictEqual(error);
  });

  test("has a code and a message that fit", () => {
    const long = "x".repeat(5000);
    expect(shownError({ ...error, code: long, message: long })).toEqual({ ...error, code: CUT, message: CUT });
  });
});

test("an asset is shown with what its tool says about it, when that is small; without that it has none", () => {
  const asset: AssetRecord = { toolId: "x", assetId: "i", kind: "image", mediaType: "image/png", status: "stored" };
  const ofSize = (size: number) => filled(size, (text) => ({ text }));
  expect(shownAsset(asset)).toStrictEqual(asset);
  expect(shownAsset({ ...asset, metadata: { by: "Ada" } })).toStrictEqual({ ...asset, metadata: { by: "Ada" } });
  expect(shownAsset({ ...asset, metadata: ofSize(65_536) })).toStrictEqual({ ...asset, metadata: ofSize(65_536) });
  expect(shownAsset({ ...asset, metadata: ofSize(65_537) })).toStrictEqual(asset);
});

test("the note on a full page is a problem of the tool that was left out, and is told from other passages", () => {
  const note = leftOut("x");
  expect(note).toEqual({
    kind: "problem",
    toolId: "x",
    code: "TOO_MUCH_TO_SHOW",
    message: "more happened in this turn than can be shown here; the log has all of it",
  });
  const others: (Passage | undefined)[] = [
    { kind: "problem", toolId: "x", code: "E", message: "ouch" },
    { kind: "text", text: "TOO_MUCH_TO_SHOW" },
    { kind: "placeholder", toolId: "x", event: "fireworks", payload: null },
    undefined,
  ];
  expect([note, ...others].map(isLeftOut)).toEqual([true, false, false, false, false]);
});

test("a passage weighs what it holds, each time it is asked; what the narrator tells weighs nothing", () => {
  const problem: Passage = { kind: "problem", toolId: "x", code: "E", message: "ouch" };
  expect([weightOf(problem), weightOf(problem)]).toEqual([sizeOf({ ...problem }), sizeOf({ ...problem })]);
  expect(weightOf({ kind: "text", text: "Once upon a time" })).toBe(0);
});

/** What is made of a text just long enough. */
function filled<Made extends { text: string }>(size: number, make: (text: string) => Made): Made {
  return make("x".repeat(size - sizeOf(make(""))));
}
