/** A few seeded inputs for everything that is fuzzed, and every input that once was a find. `npm run fuzz` tries more. */
import { describe, expect, test } from "vitest";
import { fuzz, tryInput } from "./fuzz/fuzz.ts";
import { keptFinds, TARGETS } from "./fuzz/targets.ts";

/** Never changed without a reason: the same inputs on every machine. */
const SEED = 20_261_117;

describe.each(Object.entries(TARGETS))("[Z1.7] %s", (name, load) => {
  test("holds against a few inputs", { timeout: 300_000 }, async () => {
    const target = await load();
    const opened = await target.open();
    try {
      const { tried, outcomes, found } = await fuzz(opened, { seed: SEED, inputs: target.few });
      expect(found && { message: found.message, input: found.input.toString("latin1") }).toBeNull();
      expect(tried).toBe(target.few);
      // A fuzzer whose inputs all meet the same end has nothing to find.
      expect(outcomes.size).toBeGreaterThan(1);
    } finally {
      await opened.close();
    }
  });

  test("holds against what was found before", { timeout: 300_000 }, async () => {
    const opened = await (await load()).open();
    try {
      for (const { name: file, input } of keptFinds(name)) {
        const outcome = await tryInput(opened, input).catch((error: unknown) => ({ file, error }));
        expect(outcome, file).toEqual(expect.any(String));
      }
    } finally {
      await opened.close();
    }
  });
});
