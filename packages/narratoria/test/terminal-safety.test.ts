/** Whatever a story, a tool, a plan or a file is called: no command lets it steer the terminal. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStoryFolder, narratoria, type StoryFolder } from "./narratoria-command.ts";

/** Clears the screen, in two spellings; sets the window's title; turns the writing around. */
const EVIL = "\u001b[8m\u001b[2J\u009b2J\u001b]0;owned\u0007\u202eevil\u2066\u061c\u2028\u206e";
// oxlint-disable-next-line no-control-regex -- finding control characters is the point.
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]/;

let story: StoryFolder;
let data: string;

beforeAll(async () => {
  story = createStoryFolder();
  data = join(story.path, "..", "data");
  const transport = { type: "stdio", command: ["./ok.sh"] };
  const mount = { name: "fine", version: "1.0.0", kind: "tool", protocol: "narratoria/0", transport, capabilities: [] };
  const mounts = [
    { ...mount, description: EVIL },
    { ...mount, name: EVIL },
    { ...mount, name: "x", protocol: EVIL },
  ];
  story.file("story.json", { title: `Story ${EVIL}`, narrator: "stub", mounts });
  story.file("plans.json", [
    { opening: true, narrative: `A cellar. ${EVIL}`, choices: [EVIL] },
    { match: "go", plan: { tools: [{ toolId: EVIL, toolPath: EVIL }] }, narrative: EVIL },
  ]);
  story.file("script.txt", `go\n${EVIL}\n/state\n/tree\n/fork ${EVIL}\n`);
  story.file("plan.json", { requestId: "r", [EVIL]: 1, tools: [{ toolId: EVIL, toolPath: EVIL, [EVIL]: 2 }] });
  story.file("broken.json", `{"${EVIL}"`);
  story.file("policy.json", { grants: { [EVIL]: 5 }, [EVIL]: true });
  await narratoria(["play", "--story", story.path, "--data", data, "--script", join(story.path, "script.txt")]);
}, 120_000);
afterAll(() => story[Symbol.dispose]());

describe("[Z1.2] nothing that is printed steers the terminal", () => {
  test.each<[command: string]>([
    ["tools --story STORY"],
    ["tools --story STORY --json"],
    ["tools --story EVIL"],
    ["run STORY/plan.json"],
    ["run STORY/broken.json"],
    ["run EVIL"],
    ["run STORY/plan.json --policy STORY/policy.json"],
    ["play --story STORY --script STORY/script.txt"],
    ["play --story STORY --script STORY/script.txt --json"],
    ["play --story STORY --policy STORY/policy.json"],
    ["play --session EVIL"],
    ["sessions list"],
    ["sessions list --json"],
    ["sessions show Story"],
    ["sessions show EVIL"],
    ["sessions delete EVIL"],
    ["sessions import STORY/broken.json"],
    ["trace EVIL"],
    ["why EVIL /a"],
    ["serve --story EVIL"],
    ["serve --port EVIL"],
    ["sign-in"],
    ["doctor"],
    ["--EVIL"],
    ["EVIL"],
  ])("%s", { timeout: 60_000 }, async (command) => {
    const args = command.split(" ").map((part) => part.replace("STORY", story.path).replace("EVIL", EVIL));
    const takesData = /^(?:tools|play|sessions|trace|why|serve|sign-in|doctor)/.test(command);
    const run = await narratoria(takesData ? [...args, "--data", data] : args);
    expect(run.stdout + run.stderr).not.toBe("");
    for (const line of (run.stdout + run.stderr).split("\n")) expect(JSON.stringify(line)).toBe(harmless(line));
  });

  test("only these files write to the terminal, and each cleans what it writes", () => {
    const cli = fileURLToPath(new URL("../src/cli/", import.meta.url));
    const writers = readdirSync(cli).filter((name) => {
      const isSource = name.endsWith(".ts") && !name.endsWith(".test.ts");
      return isSource && /process\.std(?:out|err)\.write\(|console\./.test(readFileSync(join(cli, name), "utf8"));
    });
    expect(writers).toEqual([
      "follow-as-json.ts",
      "main.ts",
      "print-json.ts",
      "prompts.ts",
      "say.ts",
      "watch-output.ts",
    ]);
  });
});

/** The line as JSON, or what is wrong with it. */
function harmless(line: string): string {
  const found = STEERING.exec(line);
  return found === null ? JSON.stringify(line) : `it holds ${JSON.stringify(found[0])} at ${found.index}`;
}
