#!/usr/bin/env node
/** Rolls dice like 2d6+1. Every face is equally likely; with a `seed` the same seed gives the same roll. */
import { createHash, randomInt } from "node:crypto";
import { defineTool, ToolError, type Json } from "@narratoria/tool";

interface Dice {
  notation: string;
  count: number;
  sides: number;
  modifier: number;
}

defineTool<{ dice?: Json; seed?: Json }>(
  { name: "dice-roller", description: "rolls dice like 2d6+1" },
  (input, emit) => {
    const { notation, count, sides, modifier } = readNotation(input.dice);
    emit.info(`Rolling ${notation}...`);
    const roll = (input.seed ?? null) === null ? rollHonestly : createSeededRoll(JSON.stringify(input.seed));
    const rolls = Array.from({ length: count }, () => roll(sides));
    const total = rolls.reduce((sum, face) => sum + face, modifier);
    emit.patch({ dice: { last: { notation, rolls, modifier, total } } });
    return `${notation}: ${total}`;
  },
);

function readNotation(dice: Json | undefined): Dice {
  const notation = typeof dice === "string" ? dice.replaceAll(/\s/g, "").toLowerCase() : "";
  const match = /^(\d{0,3})d(\d{1,4})([+-]\d{1,6})?$/.exec(notation);
  if (match === null) throw new ToolError("BAD_NOTATION", `Dice are written like 2d6+1, not ${JSON.stringify(dice)}.`);
  const count = match[1] === "" ? 1 : Number(match[1]);
  const sides = Number(match[2]);
  if (count < 1 || count > 100) throw new ToolError("BAD_NOTATION", "Between 1 and 100 dice can be rolled at once.");
  if (sides < 2 || sides > 1000) throw new ToolError("BAD_NOTATION", "A die has between 2 and 1000 sides.");
  return { notation, count, sides, modifier: Number(match[3] ?? 0) };
}

function rollHonestly(sides: number): number {
  return randomInt(1, sides + 1);
}

/** Numbers from hashing the seed with a counter. */
function createSeededRoll(seed: string): (sides: number) => number {
  let counter = 0;
  return (sides) => {
    // The remainder alone would favour low faces: numbers above the last whole multiple of `sides` are drawn again.
    const limit = 2 ** 32 - (2 ** 32 % sides);
    for (;;) {
      const drawn = createHash("sha256").update(`${seed}\n${counter++}`).digest().readUInt32BE(0);
      if (drawn < limit) return (drawn % sides) + 1;
    }
  };
}
