import { expect, test } from "vitest";
import { fallbackNarration } from "./fallback-narration.ts";

test("[N1.2] the fallback quotes the prompt and offers the choices there were", () => {
  const { narrative, choices } = fallbackNarration("open the\ndoor", [{ label: "Knock" }], 3);
  expect(narrative).toContain("*open the door*");
  expect(choices).toEqual([{ label: "Knock" }]);
});

test("[N1.4] there is always something to do next, also without choices or a prompt", () => {
  expect(fallbackNarration("x", [], 0).choices).toHaveLength(1);
  expect(fallbackNarration(null, [], 0).narrative).not.toBe("");
});

test("[N1.1] the same seed gives the same words, whatever the number", () => {
  for (const seed of [0, 1, 2, -7, 0.25, Number.NaN, 2 ** 40]) {
    const { narrative } = fallbackNarration("go", [], seed);
    expect(narrative).toContain("go");
    expect(narrative).toBe(fallbackNarration("go", [], seed).narrative);
  }
});

test("[N1.4] what was typed is shown as text, on one line and not at any length", () => {
  const { narrative } = fallbackNarration(`![x](y) <b>*bold*</b> $& ${"long ".repeat(100)}`, [], 1);
  expect(narrative).toContain("\\!\\[x\\](y) \\<b\\>\\*bold\\*\\</b\\> $&");
  expect(narrative.length).toBeLessThan(350);
});
