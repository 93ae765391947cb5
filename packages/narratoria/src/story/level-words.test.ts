import { expect, test } from "vitest";
import { SANDBOX_LEVELS, type SandboxLevel } from "./execution-result.ts";
import { wordsForLevel } from "./level-words.ts";

/** What a tool may do to whoever starts it, and the words that admit it. */
const ADMISSIONS = {
  "use their files": /read and change/,
  "use the network": /use the network/,
  "leave programs behind": /leave programs behind/,
  "signal their programs": /signal your programs/,
  "do all they can": /whatever you can/,
};

test.each<[level: SandboxLevel, admitted: (keyof typeof ADMISSIONS)[]]>([
  ["full", []],
  ["container", []],
  ["partial", ["use their files", "use the network", "leave programs behind", "signal their programs"]],
  ["none", ["use their files", "use the network", "leave programs behind", "do all they can"]],
])("[Z1.3] %s admits that tools may %j, and no more", (level, admitted) => {
  const words = wordsForLevel(level);
  expect(Object.entries(ADMISSIONS).flatMap(([what, said]) => (said.test(words) ? [what] : []))).toEqual(admitted);
});

test("[Z1.3] each says what protects: only the full sandbox promises by itself, a container as well as others keep it", () => {
  const promises = { full: /nothing else of yours/, container: /container.*docker or podman keep them in it/ };
  const limits = /only how much they use is limited.*root.*without rights/;
  for (const level of SANDBOX_LEVELS) {
    const words = wordsForLevel(level);
    const kept = [promises.full, promises.container, limits].map((said) => said.test(words));
    expect(kept).toEqual([level === "full", level === "container", level === "partial"]);
  }
});
