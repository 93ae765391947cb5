/**
 * Which tests count in `npm run mutate`, and in which order. A mutant lives in the process of the test, so a test that
 * starts Narratoria as a process of its own would not notice it.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { defineConfig } from "vitest/config";

/** The test beside the mutated file comes first: it most likely fails, and the first failure ends the run. */
class NearestFirst extends BaseSequencer {
  override async sort(tests: TestSpecification[]): Promise<TestSpecification[]> {
    const nearest = this.ctx.config.related?.map((file) => file.replace(/\.ts$/, ".test.ts"));
    const isNearest = (test: TestSpecification): boolean => nearest?.includes(test.moduleId) ?? false;
    // What is slow comes first by itself, to keep all workers busy; here there is one, and the quickest answer wins.
    const sorted = (await super.sort(tests)).toReversed();
    return [...sorted.filter(isNearest), ...sorted.filter((test) => !isNearest(test))];
  }
}

export default defineConfig({
  test: {
    environment: "node",
    include: [
      `${process.env["MUTATED_FOLDER"]}/**/*.test.ts`,
      // What a schema says about itself shows only in the published contracts.
      "packages/narratoria/test/contracts.test.ts",
    ],
    // A file of its own for each test would take longer to load than the tests take.
    isolate: false,
    tags: [{ name: "large", skip: true }],
    sequence: { sequencer: NearestFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
