/** `narratoria run` as a real process: what scripts rely on. */
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { eventSchema } from "../src/story/event.ts";
import { executionResultSchema, type ExecutionResult } from "../src/story/execution-result.ts";
import type { PlanProblem } from "../src/story/plan-problem.ts";
import { EXPECTED_OUTCOMES } from "./expected-outcomes.ts";
import { createStoryFolder, narratoria } from "./narratoria-command.ts";
import { processesWorkingIn } from "./processes.ts";

describe.each([
  ["in the sandbox there is", []],
  ["without a sandbox", ["--no-sandbox"]],
])("%s", (_, sandbox) => {
  test(
    "[T5.1] [T5.2] [T5.3] [T5.4] [T5.5] [T5.6] [T5.7] [T5.8] [T5.9] every fixture ends as it must, in one plan, and nothing is left behind",
    { timeout: 180_000 },
    async () => {
      using story = createStoryFolder();
      const tools = EXPECTED_OUTCOMES.map(({ fixture, expected }) => ({
        ...tool(fixture),
        async: true,
        required: false,
        timeoutMs: expected.endsWith("TIMEOUT") ? 500 : 60_000,
      }));
      // The last one is required: the plan fails, so that the exit code says something.
      tools.push({ ...tool("done-not-ok", "required"), async: true, required: true, timeoutMs: 60_000 });
      const plan = story.file("plan.json", { ...planOf(tools), parallel: true, timeoutMs: 170_000 });
      const { exitCode, stdout } = await narratoria(["run", plan, ...sandbox]);
      const result = readResult(stdout);
      expect(outcomes(result)).toEqual({
        ...Object.fromEntries(EXPECTED_OUTCOMES.map(({ fixture, expected }) => [fixture, expected])),
        required: "failed tool_failure TOOL_FAILED",
      });
      expect(exitCode).toBe(1);
      expect(result.failedTools).toEqual(result.toolResults.filter(({ ok }) => !ok).map(({ toolId }) => toolId));
      // Only the full sandbox can find a grandchild that left for a session of its own; elsewhere it ends by itself.
      const isFull = result.toolResults.some(({ attempts }) => attempts[0]?.sandbox === "full");
      const leftBehind = processesWorkingIn(story.path).filter((line) => isFull || line.trim() !== "sleep 4");
      expect(leftBehind).toEqual([]);
    },
  );

  test("[X1.6] Ctrl+C gives a complete result and leaves no process", { timeout: 60_000 }, async () => {
    using story = createStoryFolder();
    const plan = story.file("plan.json", planOf([tool("completes"), tool("ignores-sigterm"), tool("floods-stderr")]));
    const { exitCode, stdout } = await narratoria(["run", plan, "--events", ...sandbox], {
      onLine: (line, command) => {
        if (!line.includes('"tool:start"') || !line.includes('"ignores-sigterm"')) return;
        void waitForProcessIn(story.path).then(() => command.interrupt());
      },
    });
    const result = executionResultSchema.parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
    expect(result.toolResults.map(({ state }) => state)).toEqual(["completed", "failed", "skipped"]);
    expect(result.toolResults[1]?.errorDetail?.code).toBe("CANCELLED");
    expect([exitCode, result.canReplan]).toEqual([1, false]);
    expect(processesWorkingIn(story.path)).toEqual([]);
  });

  test("[T1.2] a story folder with spaces and unicode in its name", async () => {
    using story = createStoryFolder("Die Höhle – 洞窟 'n' \"more\"");
    const plan = story.file("plan.json", planOf([tool("prints-its-environment"), tool("completes")]));
    const { exitCode, stdout } = await narratoria(["run", plan, ...sandbox]);
    expect(exitCode).toBe(0);
    expect(readResult(stdout).aggregatedState).toMatchObject({ cwd: story.path, worked: true });
  });

  test("a reader that goes away (`| head -1`) ends the run, and no process is left", { timeout: 60_000 }, async () => {
    using story = createStoryFolder();
    const plan = story.file("plan.json", planOf([tool("a-million-events"), tool("tells-of-sigterm")]));
    const { stderr } = await narratoria(["run", plan, "--events", ...sandbox], {
      onLine: (_line, command) => command.stopReading(),
    });
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(processesWorkingIn(story.path)).toEqual([]);
  });
});

describe("the result", () => {
  test("success: exit code 0 and one JSON document on stdout", async () => {
    using story = createStoryFolder();
    const plan = story.file("plan.json", { ...planOf([tool("completes")]), narrative: "It works." });
    const { exitCode, stdout, stderr } = await narratoria(["run", plan]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(readResult(stdout)).toMatchObject({ planId: "plan-1", success: true, narrative: "It works." });
  });

  test("--state is what the tools start from, and the patches are merged into it", async () => {
    using story = createStoryFolder();
    const state = story.file("state.json", { hour: 7, worked: false });
    const plan = story.file("plan.json", planOf([tool("prints-its-environment"), tool("completes")]));
    const { stdout } = await narratoria(["run", plan, "--state", state]);
    const { aggregatedState } = readResult(stdout);
    expect(aggregatedState).toMatchObject({ hour: 7, worked: true });
    expect(aggregatedState["call"]).toMatchObject({ context: { state: { hour: 7, worked: false } } });
  });

  test("--story is the base folder of a plan that lies elsewhere", async () => {
    using story = createStoryFolder();
    using elsewhere = createStoryFolder();
    const plan = elsewhere.file("plan.json", planOf([tool("prints-its-environment")]));
    const { stdout } = await narratoria(["run", plan, "--story", story.path]);
    expect(readResult(stdout).aggregatedState["cwd"]).toBe(story.path);
  });

  test("[T4.3] assets are kept with --data", async () => {
    using story = createStoryFolder();
    const data = join(dirname(story.path), "data");
    const plan = story.file("plan.json", planOf([tool("writes-an-asset")]));
    const { stdout } = await narratoria(["run", plan, "--data", data]);
    const assets = readResult(stdout).aggregatedAssets;
    expect(assets.map(({ status }) => status)).toEqual(["stored", "stored"]);
    const stored = readdirSync(join(data, "assets"), { recursive: true, encoding: "utf8" });
    for (const { sha256 } of assets) expect(stored.some((file) => file.endsWith(sha256 ?? "none"))).toBe(true);
  });

  test("[K1.1] --events prints every event as a line, in order, and the result as the last", async () => {
    using story = createStoryFolder();
    const plan = story.file("plan.json", planOf([tool("completes")]));
    const { exitCode, stdout } = await narratoria(["run", plan, "--events"]);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    const events = lines.slice(0, -1).map((line) => eventSchema.parse(line));
    expect(events.map(({ event }) => event)).toEqual([
      "tool:start",
      ...Array<string>(3).fill("tool:event"),
      "tool:end",
      "plan:end",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect([exitCode, executionResultSchema.parse(lines.at(-1)).success]).toEqual([0, true]);
  });
});

describe("[P1.2] an invalid plan: exit code 2, nothing runs, every problem by its pointer", () => {
  test("[P1.5] a cycle and tools from outside the story, all at once", async () => {
    using story = createStoryFolder();
    symlinkSync("/bin/ls", join(story.path, "innocent"));
    const plan = story.file("plan.json", {
      ...planOf([
        { ...tool("completes", "a"), dependencies: ["b"] },
        { ...tool("completes", "b"), dependencies: ["a"] },
        tool("/bin/rm", "rm"),
        tool("../../bin/ls", "up"),
        tool("innocent", "link"),
        tool("completes", "fine"),
      ]),
    });
    const { exitCode, stdout, stderr } = await narratoria(["run", plan]);
    expect(exitCode).toBe(2);
    const { error } = readError(stdout);
    expect(error.code).toBe("invalid_plan");
    expect(error.details.problems.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      "CYCLE /tools/0/dependencies/0",
      "PATH_FORBIDDEN /tools/2/toolPath",
      "PATH_FORBIDDEN /tools/3/toolPath",
      "PATH_FORBIDDEN /tools/4/toolPath",
    ]);
    expect(error.details.problems[0]?.message).toContain("a -> b -> a");
    expect(stderr).toContain("a -> b -> a");
  });

  test("a plan that is no JSON is an invalid plan, with one clear line on stderr", async () => {
    using story = createStoryFolder();
    const { exitCode, stdout, stderr } = await narratoria(["run", join(story.path, "completes")]);
    expect([exitCode, readError(stdout).error.code]).toEqual([2, "invalid_plan"]);
    expect(stderr).toMatch(/^narratoria: .*completes is not valid JSON: .*\n$/);
  });

  test("[P1.5] --allow-tools lets tools come from a further folder", async () => {
    using story = createStoryFolder();
    const outside = join(dirname(story.path), "outside");
    mkdirSync(outside);
    const outsider = join(outside, "outsider");
    writeFileSync(outsider, '#!/bin/sh\necho \'{"version":"0","type":"done","ok":true}\'\n');
    chmodSync(outsider, 0o755);
    const plan = story.file("plan.json", planOf([tool(outsider, "outsider")]));
    expect((await narratoria(["run", plan])).exitCode).toBe(2);
    const { exitCode, stdout } = await narratoria(["run", plan, "--allow-tools", outside]);
    expect([exitCode, readResult(stdout).success]).toEqual([0, true]);
  });
});

describe("wrong usage: exit code 2 and a clear line on stderr", () => {
  test.each<[name: string, args: (story: string) => string[], complaint: RegExp]>([
    [
      "a plan that is not there",
      (story) => [`${story}/none.json`],
      /^narratoria: cannot read .*none\.json: there is no such file\n$/,
    ],
    ["a folder as the plan", (story) => [story], /^narratoria: cannot read .*: it is a folder\n$/],
    [
      "a state that is not there",
      (story) => [`${story}/plan.json`, "--state", "none.json"],
      /^narratoria: cannot read none\.json: .*\n$/,
    ],
    [
      "a state that is no object",
      (story) => [`${story}/plan.json`, "--state", `${story}/list.json`],
      /^narratoria: .*list\.json must hold a JSON object\n$/,
    ],
    [
      "a state that is no JSON",
      (story) => [`${story}/plan.json`, "--state", `${story}/completes`],
      /^narratoria: .*is not valid JSON.*\n$/,
    ],
    ["an unknown option", (story) => [`${story}/plan.json`, "--colour"], /^error: unknown option '--colour'\n/],
    ["no plan at all", () => [], /^error: missing required argument 'plan'\n/],
  ])("%s", async (_, args, complaint) => {
    using story = createStoryFolder();
    story.file("plan.json", planOf([tool("completes")]));
    story.file("list.json", "[]");
    const { exitCode, stderr, stdout } = await narratoria(["run", ...args(story.path)]);
    expect(stderr).toMatch(complaint);
    expect([exitCode, stdout]).toEqual([2, ""]);
  });
});

/** Also shows that the search finds such processes, confined or not. */
async function waitForProcessIn(folder: string): Promise<void> {
  while (!processesWorkingIn(folder).some((line) => line.includes("ignores-sigterm"))) await sleep(20);
}

function tool(toolPath: string, toolId = toolPath): object {
  return { toolId, toolPath, retryPolicy: { maxRetries: 0 } };
}

function planOf(tools: object[]): object {
  return { requestId: "plan-1", tools };
}

/** JSON.parse would refuse a second document behind the first. */
function readResult(stdout: string): ExecutionResult {
  return executionResultSchema.parse(JSON.parse(stdout));
}

function readError(stdout: string): { error: { code: string; details: { problems: PlanProblem[] } } } {
  return JSON.parse(stdout) as ReturnType<typeof readError>;
}

function outcomes(result: ExecutionResult): Record<string, string> {
  return Object.fromEntries(
    result.toolResults.map(({ toolId, state, errorDetail }) => {
      return [toolId, errorDetail === undefined ? state : `${state} ${errorDetail.category} ${errorDetail.code}`];
    }),
  );
}
