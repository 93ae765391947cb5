import { expect, test } from "vitest";
import { findDisagreements, readRelease, type Release } from "./versions.ts";

test("the packages of this commit have one version", () => {
  expect(findDisagreements(readRelease(null))).toEqual([]);
});

const RELEASE: Release = {
  narratoria: { version: "1.2.3", dependencies: { "@narratoria/tool": "1.2.3" } },
  tool: { version: "1.2.3" },
  changelog: "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-18\n\n## [1.2.2] - 2026-11-01\n",
  tag: "v1.2.3",
};

test("a release whose manifests, tag and changelog agree has nothing wrong with it", () => {
  expect(findDisagreements(RELEASE)).toEqual([]);
});

test.each<[string, Partial<Release>]>([
  ["@narratoria/tool is 1.2.2, narratoria 1.2.3", { tool: { version: "1.2.2" } }],
  [
    "narratoria 1.2.3 depends on @narratoria/tool 1.2.2",
    { narratoria: { version: "1.2.3", dependencies: { "@narratoria/tool": "1.2.2" } } },
  ],
  ["the tag is v1.2.4, the packages are 1.2.3", { tag: "v1.2.4" }],
  ["the tag is (none), the packages are 1.2.3", { tag: "(none)" }],
  ["the changelog has no version 1.2.3", { changelog: "# Changelog\n\n## [Unreleased]\n" }],
  ["the changelog's newest version is 1.2.2, the packages are 1.2.3", { changelog: "## [1.2.2] - 2026-11-01\n" }],
])("%s", (problem, change) => {
  expect(findDisagreements({ ...RELEASE, ...change })).toEqual([problem]);
});
