/** The thread that plays ink, as another process sees it. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("[N1.1] an idle thread does not keep the process alive, and ink prints nothing into it", () => {
  const source = (name: string): string => JSON.stringify(new URL(`../src/narrators/${name}`, import.meta.url).href);
  const script = `
    import { compileInk } from ${source("compile-ink.ts")};
    import { createInkThread } from ${source("ink-thread.ts")};
    const texts = new Map([["story.ink", "EXTERNAL f(x)\\n{f(1)}\\n-> END\\n"]]);
    const { json } = await compileInk({ main: "story.ink", texts, problems: [] });
    const request = { ink: null, prompt: null, seed: 1, outcomes: {}, states: [{}], disabled: [], unknownState: "as it is" };
    const { kind } = await createInkThread({ json, synonyms: {} }, 20_000).play(request);
    console.log(kind);
  `;
  const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    timeout: 25_000,
  });
  expect(child).toMatchObject({ status: 0, signal: null, stdout: "failed\n", stderr: "" });
});
