/** docs/threat-model.md names a test for each promise: here it is seen that each of them is there. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const here = resolve(import.meta.dirname, "..");
const page = readFileSync(resolve(here, "../../docs/threat-model.md"), "utf8");
const promises = [...page.matchAll(/^\| ([^|]+) \| `((?:test|src)\/[^`|]+)` \| ([^|]+) \|$/gm)].map(
  ([, promise = "", file = "", title = ""]) => ({ promise, file, title }),
);

test("there is a table of promises", () => {
  expect(promises.length).toBeGreaterThan(25);
});

test.for(promises)("$promise: $file has its test", ({ file, title }) => {
  const path = join(here, file);
  const titles = existsSync(path) ? titlesIn(readFileSync(path, "utf8")) : [];
  expect(titles.filter((each) => each.includes(title))).not.toEqual([]);
});

/** The texts given to `test`, `describe` and their kin, and the line that an attack must not cross. */
function titlesIn(source: string): string[] {
  const calls = /\b(?:test|describe)(?:\.\w+)?(?:\([^"`]*?\))?\(\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g;
  const heads = /^"""Must not: (.+)\."""$/gm;
  return [...source.matchAll(calls), ...source.matchAll(heads)].map(([, quoted, template]) => quoted ?? template ?? "");
}
