/** Which tests exist and how they run; `scripts/test.ts` runs them together with the other checks. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: [
      "packages/*/src/**/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "packages/*/web/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    tags: [{ name: "large", description: "Much of something: too slow to repeat for every mutant." }],
    // Processes, not threads: tests here change signals, the environment and the working directory.
    pool: "forks",
    maxWorkers: 2,
    // Tests start real processes; a slow machine must not turn that into a failure.
    testTimeout: 30_000,
    // A busy machine may make a test fail that asks for the moment: once more, and `scripts/test.ts` names it.
    retry: 1,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
