import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import type { UiEvent } from "@narratoria/tool/protocol";
import { choicesIn, MOST_CHOICE_CHARACTERS, UNDO_CHOICE, withChoices } from "./choices.ts";

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

describe("[L1.3] identity", () => {
  const tool = { number: 4, by: "tool" } as const;
  const narrator = { number: 4, by: "narrator" } as const;

  test("equal labels of one offer are different choices, in every turn others", () => {
    const doors = [{ label: "Door" }, { label: "Door" }, { label: "Door", id: "d" }, { label: "Door", id: "d" }];
    const ids = withChoices([], doors, tool).map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids[2]).toBe("d");
    const later = withChoices([], doors.slice(0, 2), { ...tool, number: 5 }).map(({ id }) => id);
    expect(ids).not.toEqual(expect.arrayContaining(later.slice(0, 1)));
  });

  test("what a tool and the narrator offer in the same words is the narrator's, in the tool's place", () => {
    const offered = withChoices(
      [],
      ["Open", "Leave"].map((label) => ({ label, hint: "!" })),
      tool,
    );
    const both = withChoices(
      offered,
      [
        { label: "Stay", id: "s" },
        { label: "Open", id: "o" },
      ],
      narrator,
    );
    expect(both).toEqual([
      { label: "Open", hint: "!", id: "o" },
      { label: "Leave", hint: "!", id: offered[1]?.id },
      { label: "Stay", id: "s" },
    ]);
  });

  test("two tools that name their choices differently offer different ones", () => {
    const first = withChoices([], [{ label: "Door", id: "a" }], tool);
    expect(withChoices(first, [{ label: "Door", id: "b" }], tool)).toHaveLength(2);
    expect(withChoices(first, [{ label: "Door", id: "a" }], tool)).toHaveLength(1);
    expect(withChoices(first, [{ label: "Door" }], tool)).toEqual(first);
  });

  test("an id that is ours is no tool's", () => {
    expect(choicesIn(offered({ choices: [{ label: "Undo", id: UNDO_CHOICE }] }))).toEqual([{ label: "Undo" }]);
  });
});

test("[T4.4] choices add up in order, and none is offered twice", () => {
  const labels = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d")).map((all) => all.map((label) => ({ label })));
  fc.assert(
    fc.property(labels, labels, (first, more) => {
      const before = withChoices([], first, { number: 0, by: "tool" });
      const held = [structuredClone(before), structuredClone(more)];
      const all = withChoices(before, more, { number: 0, by: "narrator" });
      expect(all.map(({ label }) => label)).toEqual([...new Set([...before, ...more].map(({ label }) => label))]);
      expect([before, more]).toEqual(held);
    }),
  );
});

test("[Z1.7] however many choices a file has, a turn has two thousand at most: each more would cost all before it", () => {
  const many = Array.from({ length: 3_000 }, (_, n) => ({ id: `c${n}`, label: `choice ${n}` }));
  const full = many.slice(0, 2_000);
  expect(withChoices([], many, { number: 1, by: "tool" })).toEqual(full);
  expect(withChoices(many.slice(0, 1_999), many, { number: 1, by: "narrator" })).toEqual(full);
  expect(withChoices(full, [{ label: "another" }], { number: 1, by: "tool" })).toEqual(full);
});
