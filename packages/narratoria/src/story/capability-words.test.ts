import { expect, test } from "vitest";
import { CAPABILITIES } from "./capabilities.ts";
import { wordsForCapability } from "./capability-words.ts";

const quoted = (text: string): string => `“\u2068${text}\u2069”`;

test.each<[capability: string, words: string]>([
  ["fs.read", "read any file on this computer"],
  ["fs.read:/srv/maps", `read ${quoted("/srv/maps")}`],
  ["fs.write", "change any file on this computer"],
  ["fs.write:/srv/maps", `change ${quoted("/srv/maps")}`],
  ["fs.temp", "use temporary files"],
  ["net.fetch", "use the network"],
  ["net.fetch:example.org", `use the network (it names ${quoted("example.org")}, but nothing holds it to that)`],
  ["net.bind", "open a network port"],
  ["kv.get", "read kept values"],
  ["kv.get:scores", `read kept values of ${quoted("scores")}`],
  ["kv.set", "keep values"],
  ["kv.set:scores", `keep values in ${quoted("scores")}`],
  ["secrets.read", "be told any secret of this computer"],
  ["secrets.read:TOKEN", `be told the secret ${quoted("TOKEN")}`],
  ["exec.spawn", "run a program from outside the story"],
  ["exec.spawn:registry:5000/bell", `run a container of ${quoted("registry:5000/bell")}`],
  ["moon.walk", `use ${quoted("moon.walk")}`],
  ["a:b", `use ${quoted("a:b")}`],
])("[K1.5] who is granted %s may %s", (capability, words) => {
  expect(wordsForCapability(capability)).toBe(words);
});

test("[K1.5] every capability has words of its own", () => {
  for (const capability of CAPABILITIES) expect(wordsForCapability(capability)).not.toContain(capability);
  expect(new Set(CAPABILITIES.map(wordsForCapability)).size).toBe(CAPABILITIES.length);
});

test("[K1.5] a scope is a stranger's words: it cannot end its quotes, and an empty one is not hidden", () => {
  expect(wordsForCapability('secrets.read:a" and nothing else')).toBe(
    `be told the secret ${quoted("a⟨U+0022⟩ and nothing else")}`,
  );
  expect(wordsForCapability("fs.write:")).toBe(`change ${quoted("(nothing)")}`);
});

test.each<[capability: string, most: number]>([
  ["fs.read", 240],
  ["fs.write", 240],
  ["net.fetch", 60],
  ["kv.get", 60],
  ["kv.set", 60],
  ["secrets.read", 60],
  ["exec.spawn", 120],
])("[K1.5] of the scope of %s %d characters are shown, so that the rest stays readable", (capability, most) => {
  expect(wordsForCapability(`${capability}:${"x".repeat(most)}`)).toContain(quoted("x".repeat(most)));
  expect(wordsForCapability(`${capability}:${"x".repeat(most + 1)}`)).toMatch(/x…x/);
});
