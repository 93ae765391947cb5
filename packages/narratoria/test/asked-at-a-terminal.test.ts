/** Questions of tools at a real terminal: only what is typed after a question is on the screen answers it, and only it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeStory, shellTool } from "./made-story.ts";

const COMMAND = fileURLToPath(new URL("../bin/narratoria.js", import.meta.url));
const ran = (name: string): string => `echo '{"version":"0","type":"state_patch","patch":{"${name}":"ran"}}'`;

test("[U1.13] [K1.9] what was typed ahead answers no question, and an answer is for one question", async () => {
  const tool = (name: string, more: object = {}) => ({ toolId: name, toolPath: name, required: false, ...more });
  const beside = { parallel: true, async: true };
  using story = makeStory({
    ...shellTool("slow", [], "touch started; until [ -e go ]; do sleep 0.05; done"),
    ...shellTool("lamp", ["net.fetch"], ran("lamp")),
    ...shellTool("oven", ["net.fetch"], ran("oven")),
    "story.json": { title: "The Inn", narrator: "stub" },
    "plans.json": [
      { opening: true, narrative: "An inn." },
      { match: "first", plan: { tools: [tool("slow"), tool("lamp", { dependencies: ["slow"] })] }, narrative: "One." },
      {
        match: "second",
        plan: { tools: [tool("lamp", beside), tool("oven", beside)], parallel: true },
        narrative: "Two.",
      },
    ],
  });
  // Without a sandbox, so that the tool can say that it has begun.
  const words = [
    COMMAND,
    "play",
    "--story",
    story.path,
    "--data",
    join(story.path, "../data"),
    "--no-sandbox",
    "--allow-unconfined",
  ];
  const line = [process.execPath, ...words].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qfec", line, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
  const sees = async (what: string | RegExp): Promise<void> => {
    await expect.poll(() => shown, { timeout: 60_000 }).toMatch(what);
  };
  const types = (keys: string): void => {
    shown = "";
    child.stdin.write(keys);
  };
  try {
    await sees("> ");
    types("first\r");
    await expect.poll(() => existsSync(join(story.path, "started")), { timeout: 60_000 }).toBe(true);
    types("1\r");
    // Raw keys echo nothing that could be waited for.
    await sleep(1_000);
    writeFileSync(join(story.path, "go"), "");
    await sees(/asks to use the network[^]*Don't allow[^]*> /);
    await sleep(300);
    expect(shown).not.toContain("lamp: ran");
    types("3\r");
    // What was typed ahead is the next thing that is said: the first choice, so it asks once more.
    await sees(/> 1[^]*asks to use the network[^]*> /);
    expect(shown).not.toContain("lamp: ran");
    types("3\r");
    await sees(/second[^]*> /);

    types("second\r");
    await sees(/asks to use the network[^]*> /);
    types("1\r");
    await sees(/asks to use the network[^]*> /);
    types("3\r");
    await sees("Two.");
    types("/state\r");
    await sees(/(lamp|oven)[^]*> /);
    expect(shown.match(/"ran"|: ran/g)).toHaveLength(1);
  } finally {
    // Its terminal is gone then, and who plays there leaves.
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}, 240_000);
