import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockedPackages, ROOT, sbomFiles } from "./sbom.ts";

/** What somebody looked at and found to go with MIT, also when it is only used to build or to test. */
const ACCEPTED = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MPL-2.0",
];

test.each([...sbomFiles()])("%s is what `npm run sbom` writes", (file, text) => {
  expect(readFileSync(join(ROOT, file), "utf8")).toBe(text);
});

test("every package, direct or not, has a licence that was accepted", () => {
  const packages = lockedPackages();
  expect(packages.length).toBeGreaterThan(100);
  const others = packages.filter(
    ({ license }) =>
      !license
        .split(/[() ]+|OR|AND/)
        .filter(Boolean)
        .every((id) => ACCEPTED.includes(id)),
  );
  expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
});

test("what is installed says the same of itself as the lock file", () => {
  const installed = lockedPackages().filter(({ place }) => existsSync(join(ROOT, place, "package.json")));
  expect(installed.length).toBeGreaterThan(100);
  const different = installed.flatMap(({ place, version, license }) => {
    const own = JSON.parse(readFileSync(join(ROOT, place, "package.json"), "utf8")) as {
      version: string;
      license?: string;
    };
    return own.version === version && own.license === license ? [] : [`${place}: ${own.version} ${own.license}`];
  });
  expect(different).toEqual([]);
});
