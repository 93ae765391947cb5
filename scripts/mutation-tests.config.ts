/**
 * Which tests count in `npm run mutate`, and in which order. A mutant lives in the process of the test, so a test that
 * starts Narratoria as a process of its own would not notice it.
 */
import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { defineConfig } from "vitest/config";

/**
 * The tests besides those that sit next to the mutated files. What a schema says about itself shows only in the
 * published contracts. The rooms of `runtime/` are mostly held by whole sessions: these are the tests that play them in
 * this process, with a scripted narrator, scripted tools and a database in memory or in one file. Left out is what a
 * mutant does not reach or what would take minutes for each: the command, browsers, containers, modules and Python as
 * processes, hundreds of sessions (`sessions-at-once`), and whatever plays with the
 * clock of the wall (`recorded-tools`, `mount-changes`).
 */
const BESIDES: Readonly<Record<string, readonly string[]>> = {
  story: ["contracts"],
  runtime: [
    "after-closing",
    "asked-grants",
    "asset-readings",
    "begin-session",
    "contracts",
    "damaged-log",
    "disk-trouble",
    "followers",
    "fork-context",
    "fork-inheritance",
    "granted-places",
    "hooks",
    "imported-sessions",
    "library",
    "linked-modules",
    "live-session",
    "load-story",
    "module-consent",
    "module-context",
    "mount-secrets",
    "namel3ss-project",
    "orchestrator",
    "prompt-keys",
    "provenance",
    "resumed-turns",
    "seams",
    "session-context",
    "session-file",
    "session-file-limits",
    "session-model",
    "session-readings",
    "session-refusals",
    "session-service",
    "story-processes",
    "tool-registry",
    "turn-loop",
    "turn-tree",
    "turn-troubles",
    "warm-and-cold",
  ],
};

const folder = process.env["MUTATED_FOLDER"] ?? "packages/narratoria/src/story";
const besides = BESIDES[path.basename(folder)] ?? [];

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
    include: [`${folder}/**/*.test.ts`, ...besides.map((name) => `packages/narratoria/test/${name}.test.ts`)],
    // A file of its own for each test would take longer to load than the tests take.
    isolate: false,
    tags: [{ name: "large", skip: true }],
    // Random play finds in a few rounds what a mutant breaks, or not at all.
    env: { NARRATORIA_MODEL_RUNS: "6" },
    sequence: { sequencer: NearestFirst },
    // With many a mutant a turn never ends, and the test waits as long as it may; on a very
    // busy machine the slowest needs more than half of it.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
