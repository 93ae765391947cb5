/** The levels of the sandbox: which one a system offers, that every attempt says it, and `narratoria doctor`. */
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chooseSandbox } from "../src/sandbox/choose-sandbox.ts";
import { pathWithoutBubblewrap } from "./command-of-level.ts";
import { makeStory, shellTool } from "./made-story.ts";
import { narratoria } from "./narratoria-command.ts";
import { createPlayground } from "./playground.ts";
import { serve } from "./serve-process.ts";

const PATH = process.env["PATH"];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-path-"));
});
afterEach(() => {
  process.env["PATH"] = PATH;
  rmSync(folder, { recursive: true, force: true });
});

function withoutBubblewrap(): void {
  process.env["PATH"] = pathWithoutBubblewrap(folder);
}

describe("[Z1.3] the level", () => {
  test("is full where bubblewrap works, and needs no advice", async () => {
    expect(await chooseSandbox("best")).toMatchObject({ level: "full", advice: null, sandbox: { level: "full" } });
  });

  test("is partial without bubblewrap, with the advice to install it", async () => {
    withoutBubblewrap();
    const { level, advice } = await chooseSandbox("best");
    expect([level, advice]).toEqual(["partial", expect.stringContaining("install the package bubblewrap")]);
  });

  test("is partial with a bubblewrap that does not work, with what it said", async () => {
    withoutBubblewrap();
    // Anything that is no bubblewrap will do: it does not know the options.
    symlinkSync("/usr/bin/env", join(folder, "bin", "bwrap"));
    const { level, advice } = await chooseSandbox("best");
    expect([level, advice]).toEqual([
      "partial",
      expect.stringMatching(/^bubblewrap does not work here: .*unshare-all/),
    ]);
  });

  test("is none when switched off", async () => {
    const { level, advice } = await chooseSandbox("none");
    expect([level, advice]).toEqual(["none", expect.stringContaining("--no-sandbox")]);
  });

  test.each<[level: string, prepare: () => void, options: string[]]>([
    ["full", () => {}, []],
    ["partial", withoutBubblewrap, ["--allow-unconfined"]],
    ["none", () => {}, ["--no-sandbox"]],
  ])("%s is in every attempt", async (level, prepare, options) => {
    using story = makeStory(shellTool("oven", [], "cat data.txt >&2"));
    story.write("data.txt", "from the story");
    prepare();
    const { result } = await story.run("oven", ...options);
    const [tool] = result.toolResults;
    expect([tool?.state, tool?.attempts[0]?.sandbox]).toEqual(["completed", level]);
    expect(tool?.attempts[0]?.stderrTail).toBe("from the story");
  });

  test("partial is no full: a policy that asks for full refuses", async () => {
    using story = makeStory(shellTool("oven", [], "touch started"));
    withoutBubblewrap();
    const { exitCode, result } = await story.run("oven", "--policy", story.write("policy.json", { sandbox: "full" }));
    expect([exitCode, result.toolResults[0]?.errorDetail?.code]).toEqual([1, "SANDBOX_REQUIRED"]);
    expect(existsSync(join(story.path, "started"))).toBe(false);
  });
});

describe("[Z1.6] below the full sandbox", () => {
  test("a story's tool does not run until somebody confirmed it, and why is said in plain words", async () => {
    using story = makeStory(shellTool("oven", [], `touch ${folder}/started`));
    withoutBubblewrap();
    const { exitCode, result } = await story.run("oven");
    const error = result.toolResults[0]?.errorDetail;
    expect([exitCode, error?.category, error?.code]).toEqual([1, "forbidden", "UNCONFINED"]);
    expect(error?.message).toMatch(
      /oven would not be confined: Tools can read and change what you can.*--allow-unconf/,
    );
    expect(existsSync(join(folder, "started"))).toBe(false);
  });

  test("a policy that grants and says nothing of the sandbox confirms nothing", async () => {
    using story = makeStory(shellTool("oven", ["net.fetch"], ""));
    withoutBubblewrap();
    const policy = story.write("policy.json", { grants: { oven: ["net.fetch"] } });
    const { result } = await story.run("oven", "--policy", policy);
    expect(result.toolResults[0]?.errorDetail?.code).toBe("UNCONFINED");
  });

  test("playing and serving begin with what this level does not protect, and at full with nothing", async () => {
    using playground = createPlayground();
    const words = 'The sandbox is "partial" here. Tools can read and change what you can, use the network';
    expect((await playground.play(["Leave"])).stderr).not.toContain("The sandbox is");
    withoutBubblewrap();
    expect((await playground.play(["Leave"])).stderr).toContain(words);
    const serving = await serve(["--port", "0", "--story", playground.story, "--data", playground.data]);
    await serving.end("SIGTERM");
    expect(serving.stderr()).toContain(words);
  });

  test("what ships with Narratoria runs", async () => {
    using story = makeStory();
    const transport = { type: "stdio", command: ["builtin:dice-roller"] };
    const mount = { name: "dice", kind: "tool", protocol: "narratoria/0", transport, capabilities: [] };
    story.write("story.json", { mounts: [mount] });
    withoutBubblewrap();
    const { result } = await story.run("dice");
    expect(result.toolResults[0]?.attempts[0]?.sandbox).toBe("partial");
  });
});

describe("narratoria doctor", () => {
  test("says in plain words that all is well", async () => {
    const { exitCode, stdout, stderr } = await narratoria(["doctor", "--data", "/srv/stories"]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    for (const line of [/^Narratoria \d+\.\d+\.\d+ on Node\.js \d+/, /^Sandbox +full: /m, /^sh +\/usr\/bin\/sh$/m]) {
      expect(stdout).toMatch(line);
    }
    expect(stdout).toMatch(/^Data folder +\/srv\/stories$/m);
    expect(stdout).toMatch(/All is well/);
  });

  test("says how to get to the full sandbox", async () => {
    withoutBubblewrap();
    const { exitCode, stdout } = await narratoria(["doctor"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Sandbox +partial: Tools can read and change what you can, use the network/m);
    expect(stdout).toContain("To get to full: sudo apt install bubblewrap");
  });

  test("--json for other programs", async () => {
    withoutBubblewrap();
    const { stdout } = await narratoria(["doctor", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      node: { version: process.versions.node, path: process.execPath },
      sandbox: { level: "partial", advice: expect.any(String) },
      interpreters: { python3: join(folder, "bin/python3"), sh: join(folder, "bin/sh"), node: process.execPath },
      dataFolder: expect.stringMatching(/^\//),
      addOns: [{ name: "embeddings", state: { kind: "absent" } }],
      damage: [],
      derived: [],
      file: [],
      lost: [],
      assets: { altered: [], missing: [], unused: [] },
      unreadable: null,
    });
  });
});
