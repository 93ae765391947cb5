/** `narratoria tools`: what is mounted, for people and for programs. */
import { expect, test } from "vitest";
import { narratoria } from "./narratoria-command.ts";
import { createPythonStory } from "./python-story.ts";

const FILES = {
  "story.json": JSON.stringify({
    title: "Tidewrack",
    mounts: [
      {
        name: "tides",
        kind: "tool",
        protocol: "namel3ss/1",
        entry: "tides:read",
        description: "reads the tides",
        transport: { type: "http", url: "http://127.0.0.1:1/" },
        capabilities: ["net.fetch"],
      },
    ],
  }),
  ".namel3ss/tools.yaml": "tools:\n  echo: {kind: python, entry: 'echo:run'}\n  broken: {kind: python}\n",
  "policy.json": JSON.stringify({ grants: { tides: ["net.fetch"] } }),
};

test("the default story's are all there", async () => {
  const { stdout, exitCode } = await narratoria(["tools", "--json", "--data", "/nowhere"]);
  const { tools, problems } = JSON.parse(stdout) as {
    tools: { name: string; protocol: string }[];
    problems: unknown[];
  };
  expect([exitCode, problems]).toEqual([0, []]);
  expect(tools).toEqual(expect.arrayContaining([expect.objectContaining({ name: "satchel", protocol: "namel3ss/1" })]));
  expect(tools.map(({ name }) => name)).toContain("torch-lighter");
});

test("[K1.5] it says what each asks for and was granted, and what is wrong with the rest", async () => {
  using story = createPythonStory(FILES);
  const options = ["--story", story.path, "--data", "/nowhere"];
  const plain = await narratoria(["tools", ...options]);
  expect(plain.exitCode).toBe(1);
  expect(plain.stdout).toBe(
    [
      "Mounted in Tidewrack:",
      "  tides  namel3ss/1    reads the tides; needs net.fetch (not granted)",
      "  echo   namel3ss/1",
      "",
      "Not mounted:",
      '  .namel3ss/tools.yaml /tools/broken/entry: must be "module:function"',
      "",
    ].join("\n"),
  );
  const granted = await narratoria(["tools", "--json", ...options, "--policy", `${story.path}/policy.json`]);
  expect(JSON.parse(granted.stdout)).toMatchObject({
    story: story.path,
    tools: [
      { name: "tides", protocol: "namel3ss/1", capabilities: ["net.fetch"], grants: ["net.fetch"] },
      { name: "echo", capabilities: [], grants: [] },
    ],
    problems: [{ file: ".namel3ss/tools.yaml", pointer: "/tools/broken/entry" }],
  });
});

test("a folder that is not there is a usage error", async () => {
  const { exitCode, stdout, stderr } = await narratoria(["tools", "--story", "/nowhere/at/all"]);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("there is no story folder /nowhere/at/all");
});
