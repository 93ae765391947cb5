/** What only root can read still plays: it is staged as a copy for the sandbox's user, and the copy goes afterwards. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProcessRunner } from "../src/runners/process.ts";
import type { Sandbox } from "../src/runtime/seams/sandbox.ts";
import { makeStory, DONE, type MadeStory } from "./made-story.ts";
import { outcomeOf, runFixture, type FixtureRun } from "./run-fixture.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const COMMAND = fileURLToPath(new URL("../bin/narratoria.js", import.meta.url));
const isRoot = process.getuid?.() === 0;
const TEMPORARY = tmpdir();
let temporary: string;

beforeEach(() => {
  // A temporary folder of its own, so that what is left in it is ours.
  temporary = mkdtempSync(join(TEMPORARY, "narratoria-staging-"));
  chmodSync(temporary, 0o755);
  process.env["TMPDIR"] = temporary;
});
afterEach(() => {
  process.env["TMPDIR"] = TEMPORARY;
  rmSync(temporary, { recursive: true, force: true });
});

function runIn(story: MadeStory, sandbox: Sandbox, tool: string): Promise<FixtureRun> {
  const command = [join(story.path, tool)];
  return runFixture(createProcessRunner({ sandbox }), "staged", { command, storyDir: story.path });
}

/** What was copied; where only root can read the clone, that is the Node in it too. */
function stagedNames(): string[] {
  const stages = readdirSync(temporary).filter((name) => name.startsWith("narratoria-stage-"));
  const copies = stages.flatMap((stage) => readdirSync(join(temporary, stage)).map((copy) => join(stage, copy)));
  return copies.flatMap((copy) => readdirSync(join(temporary, copy)));
}

describe.each(["full", "partial"])("[Z1.3] as root, at the level %s", (level) => {
  test.runIf(isRoot)("a story in a folder of mode 0700 plays, with its data, and its changes are seen", async () => {
    using story = makeStory({
      "tools/reader": `#!/bin/sh\nid -u >&2; cat data/poem >&2; sh tools/part.sh >&2\n${DONE}\n`,
    });
    story.write("data/poem", "one\n");
    utimesSync(join(story.path, "data/poem"), 1_000_000, 1_000_000);
    story.write("tools/part.sh", "echo part");
    expect(statSync(join(story.path, "..")).mode & 0o777).toBe(0o700);
    const sandbox = await sandboxOfLevel(level);
    const read = async (): Promise<string> => {
      const { report } = await runIn(story, sandbox, "tools/reader");
      expect(outcomeOf(report), report.stderrTail).toBe("completed");
      return report.stderrTail;
    };
    expect(await read()).toBe("65534\none\npart\n");
    story.write("data/poem", "two\n");
    // As copying and unpacking do: the same size, the same time.
    utimesSync(join(story.path, "data/poem"), 1_000_000, 1_000_000);
    expect(await read()).toBe("65534\ntwo\npart\n");
    story.write("tools/part.sh", "echo another part");
    expect(await read()).toBe("65534\ntwo\nanother part\n");

    const [stage = ""] = readdirSync(temporary).filter((name) => name.startsWith("narratoria-stage-"));
    expect(statSync(join(temporary, stage)).mode & 0o007).toBe(0);
    await sandbox.close();
    expect(readdirSync(temporary).filter((name) => !name.startsWith("narratoria-made-"))).toEqual([]);
  });

  test.runIf(isRoot)("a story that everybody can read is used where it is", async () => {
    using story = makeStory({ tool: `#!/bin/sh\n${DONE}\n` });
    for (const path of [join(story.path, ".."), story.path, join(story.path, "tool")]) chmodSync(path, 0o755);
    const sandbox = await sandboxOfLevel(level);
    expect(outcomeOf((await runIn(story, sandbox, "tool")).report)).toBe("completed");
    expect(stagedNames()).not.toContain("story");
    await sandbox.close();
  });

  test.runIf(isRoot)("a private data folder in the story is no reason for a copy, and is never in one", async () => {
    using story = makeStory({ tool: `#!/bin/sh\ncat data/kept >&2; ls data >&2\n${DONE}\n` });
    const data = join(story.path, "data");
    story.write("data/kept", "a secret");
    chmodSync(data, 0o700);
    for (const path of [story.path, join(story.path, "tool")]) chmodSync(path, 0o755);
    for (const [mode, copies] of [
      [0o755, []],
      [0o700, ["story"]],
    ] as const) {
      chmodSync(join(story.path, ".."), mode);
      const sandbox = await sandboxOfLevel(level, [data]);
      const { report } = await runIn(story, sandbox, "tool");
      expect(outcomeOf(report), report.stderrTail).toBe("completed");
      expect(report.stderrTail).not.toMatch(/^(kept|a secret)/m);
      expect(stagedNames().filter((name) => name === "story")).toEqual(copies);
      const below = readdirSync(temporary, { recursive: true, encoding: "utf8" });
      expect(below.filter((path) => /^narratoria-stage-.*\/data\//.test(path))).toEqual([]);
      await sandbox.close();
    }
  });

  test.runIf(isRoot)("a copy that was cleaned away from the temporary folder is made again", async () => {
    using story = makeStory({ tool: `#!/bin/sh\n${DONE}\n` });
    const sandbox = await sandboxOfLevel(level);
    for (const gone of [/^narratoria-stage-.*\/\d+$/, /^narratoria-stage-[^/]*$/, /^nothing$/]) {
      const { report } = await runIn(story, sandbox, "tool");
      expect(outcomeOf(report), report.stderrTail).toBe("completed");
      expect(stagedNames()).toContain("story");
      const folders = readdirSync(temporary, { recursive: true, encoding: "utf8" });
      for (const folder of folders.filter((path) => gone.test(path)))
        rmSync(join(temporary, folder), { recursive: true });
    }
    await sandbox.close();
  });
});

describe("[Z1.3] the Node that runs Narratoria", () => {
  test.runIf(isRoot)(
    "as root: tools written for Node run when only root can read it, and see nothing beside it",
    { timeout: 60_000 },
    async () => {
      const folder = join(temporary, "private", "bin");
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(join(temporary, "private"), 0o700);
      copyFileSync(process.execPath, join(folder, "node"));
      chmodSync(join(folder, "node"), 0o700);
      using story = makeStory({
        "tools/tool.ts": `#!/usr/bin/env node
        import { readdirSync } from "node:fs";
        const beside: string[] = readdirSync(${JSON.stringify(folder)});
        console.log(JSON.stringify({ version: "0", type: "state_patch", patch: { beside, node: process.execPath } }));
        console.log(JSON.stringify({ version: "0", type: "done", ok: true }));`,
      });
      copyFileSync(process.execPath, join(folder, "secret"));
      const tools = [{ toolId: "it", toolPath: "tools/tool.ts" }];
      const plan = story.write("plan.json", { requestId: "p", narrative: "", tools });
      const child = spawn(join(folder, "node"), [COMMAND, "run", plan], { stdio: ["ignore", "pipe", "inherit"] });
      let stdout = "";
      child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
      await once(child, "close");
      expect(JSON.parse(stdout)).toMatchObject({
        success: true,
        aggregatedState: { beside: ["node"], node: join(folder, "node") },
      });
      expect(
        readdirSync(temporary).filter((name) => name.startsWith("narratoria-") && !name.startsWith("narratoria-made-")),
      ).toEqual([]);
    },
  );
});

describe("[Z1.3] the data folder", () => {
  test("stays out of sight inside the story too", async () => {
    using story = makeStory({ "tools/look": `#!/bin/sh\nls -A my-data >&2; touch my-data/x >&2\n${DONE}\n` });
    story.write("my-data/kept", "an asset of another session");
    const { result } = await story.run("tools/look", "--data", join(story.path, "my-data"));
    expect(result.toolResults[0]?.state).toBe("completed");
    expect(result.toolResults[0]?.attempts[0]?.stderrTail).toMatch(/^touch: .*Read-only file system\n$/);
  });
});
