/** Pages that promise something name the test that shows it, in a table: what, file, title. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface PromisedTest {
  promise: string;
  file: string;
  title: string;
}

const here = resolve(import.meta.dirname, "..");
const root = resolve(here, "../..");

export function promisesOf(page: string): PromisedTest[] {
  const text = readFileSync(join(root, "docs", page), "utf8");
  return [...text.matchAll(/^\| ([^|]+) \| `((?:test|src|scripts)\/[^`|]+)` \| ([^|]+) \|$/gm)].map(
    ([, promise = "", file = "", title = ""]) => ({ promise, file, title }),
  );
}

/** The titles of that file that hold the one promised. */
export function testsOf({ file, title }: PromisedTest): string[] {
  const path = join(file.startsWith("scripts/") ? root : here, file);
  const titles = existsSync(path) ? titlesIn(readFileSync(path, "utf8")) : [];
  return titles.filter((each) => each.includes(title));
}

/** The texts given to `test`, `describe` and their kin, and the line that an attack must not cross. */
function titlesIn(source: string): string[] {
  const calls =
    /\b(?:test|describe)(?:\.\w+)?(?:<[^(]*>)?(?:\([^"`]*?\)|\(\[[^\]]*\](?: as const)?\))?\(\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g;
  const heads = /^"""Must not: (.+)\."""$|^(?:  mustNot:|export default flood\()\s*"(.+)",$/gm;
  return [...source.matchAll(calls), ...source.matchAll(heads)].map(([, quoted, template]) => quoted ?? template ?? "");
}
