import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import type { UiEvent } from "@narratoria/tool/protocol";
import { choicesIn, MOST_CHOICE_CHARACTERS, withChoices } from "./choices.ts";

const offered = (payload?: JsonObject, event = "narrative_choice"): UiEvent => ({
  version: "0",
  type: "ui_event",
  event,
  ...(payload && { payload }),
});

describe("[T4.4] what a tool offers", () => {
  test("is texts, or labels with more about them; what is of another kind is left out", () => {
    const choices = ["North", { label: "South", id: "s", hint: "cold", difficulty: 3, colour: "red" }];
    const odd = [
      { label: "East", id: 4, hint: null, difficulty: "hard" },
      { label: "West", difficulty: null },
    ];
    expect(choicesIn(offered({ choices: [...choices, ...odd] }))).toEqual([
      { label: "North" },
      { label: "South", id: "s", hint: "cold", difficulty: 3 },
      { label: "East", difficulty: "hard" },
      { label: "West" },
    ]);
    expect(choicesIn(offered({ choices: [] }))).toEqual([]);
  });

  test.each<[what: string, event: UiEvent]>([
    ["another event", offered({ choices: ["North"] }, "fireworks")],
    ["no payload", offered()],
    ["no list", offered({ choices: "North" })],
    ["a blank text among them", offered({ choices: ["North", " "] })],
    ["a blank label", offered({ choices: [{ label: "\t" }] })],
    ["no label", offered({ choices: [{ id: "s" }] })],
    ["a number", offered({ choices: [1] })],
    ["nothing", offered({ choices: [null] })],
  ])("%s is no choice at all", (_, event) => {
    expect(choicesIn(event)).toBeNull();
  });

  const whole = { label: "North", id: "n", hint: "cold", difficulty: "hard" };
  const given = (fields: string | JsonObject) => choicesIn(offered({ choices: ["South", fields] }));

  test.each(Object.keys(whole))("a %s of a thousand characters is taken, a longer one is no choice at all", (field) => {
    const longest = { ...whole, [field]: "x".repeat(MOST_CHOICE_CHARACTERS) };
    expect(given(longest)).toEqual([{ label: "South" }, longest]);
    expect(given({ ...whole, [field]: "x".repeat(MOST_CHOICE_CHARACTERS + 1) })).toBeNull();
  });

  test("a text alone may be as long as a label", () => {
    expect(MOST_CHOICE_CHARACTERS).toBe(1_000);
    expect(given("x".repeat(1_000))).toEqual([{ label: "South" }, { label: "x".repeat(1_000) }]);
    expect(given("x".repeat(1_001))).toBeNull();
  });
});

test("[T4.4] choices add up in order, and none is offered twice", () => {
  const labels = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d")).map((all) => all.map((label) => ({ label })));
  fc.assert(
    fc.property(labels, labels, (before, more) => {
      const held = [structuredClone(before), structuredClone(more)];
      const all = withChoices(before, more);
      expect(all.map(({ label }) => label)).toEqual([...new Set([...before, ...more].map(({ label }) => label))]);
      expect([before, more]).toEqual(held);
    }),
  );
});

test("[Z1.7] however many choices a file has, a turn has two thousand at most: each more would cost all before it", () => {
  const many = Array.from({ length: 3_000 }, (_, n) => ({ label: `choice ${n}` }));
  expect(withChoices([], many)).toEqual(many.slice(0, 2_000));
  expect(withChoices(many.slice(0, 1_999), many)).toEqual(many.slice(0, 2_000));
  const full = many.slice(0, 2_000);
  expect(withChoices(full, [{ label: "another" }])).toEqual(full);
});
