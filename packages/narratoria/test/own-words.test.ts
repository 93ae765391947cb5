/** Troubles that have words of their own: a story that broke while it was played, a disk that may only be read, a clock that jumps. */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { systemClock } from "../src/runtime/seams/clock.ts";
import type { SessionService } from "../src/runtime/seams/session-service.ts";
import { createPlayground } from "./playground.ts";
import { createScriptedHost, end, failure, ok, planOf } from "./scripted-host.ts";

test(
  "[N1.4] a story that the next host cannot read is named, with its place, and goes on when it is mended",
  { timeout: 60_000 },
  async () => {
    using playground = createPlayground();
    const whole = "A cellar.\n-> c\n=== c\n+ [Listen] You listen.\n- -> c\n";
    playground.write("story/story.ink", whole);
    await playground.play(["Listen"], playground.kept);
    const [session] = await playground.sessions();
    const { sessionId = "" } = session ?? {};

    async function playIn(host: SessionService): Promise<unknown> {
      const { turnId } = ok(await host.prompt(sessionId, "Listen"));
      await host.turnEnded(sessionId, turnId);
      return ok(await host.view(sessionId)).turns.at(-1);
    }
    playground.write("story/story.ink", whole.replace("-> c\n===", "-> nowhere\n==="));
    await using host = await playground.host();
    expect(await playIn(host)).toMatchObject({
      status: "failed",
      notice: expect.stringMatching(
        /^The story itself cannot be read just now \(story\.ink, line 2: .*nowhere.*\)\. When that is mended, try again\.$/,
      ),
    });
    playground.write("story/story.json", "{");
    expect(await playIn(host)).toMatchObject({
      notice: expect.stringContaining("(story.json, line 1: not valid JSON"),
    });
    rmSync(playground.story, { recursive: true });
    expect(await playIn(host)).toMatchObject({ notice: expect.stringContaining("there is no such folder") });
    playground.write("story/story.ink", whole);
    expect(await playIn(host)).toMatchObject({ status: "completed", notice: null });
  },
);

test("[Z1.4] a disk that may only be read is called that", { timeout: 60_000 }, async () => {
  using playground = createPlayground();
  await playground.play(["Listen"], playground.kept);
  const command = fileURLToPath(new URL("../bin/narratoria.js", import.meta.url));
  const within = ["--dev-bind", "/", "/", "--ro-bind", playground.root, playground.root];
  const said = async (...args: string[]): Promise<string> => {
    const run = promisify(execFile)("bwrap", [
      ...within,
      process.execPath,
      command,
      ...args,
      "--data",
      playground.data,
    ]);
    return run.then(({ stderr }) => stderr).catch((error: { stderr: string }) => error.stderr);
  };
  expect(await said("play", "--story", playground.story, "--script", "/dev/null")).toBe(
    `narratoria: ${playground.data} cannot be used to keep stories: the disk may only be read there; choose another with --data\n`,
  );
  expect(await said("sessions", "list")).toContain("cannot be read where nothing may be written. Copy its folder");
});

test("[Z1.4] a disk that is too full for a new library is called that", { timeout: 60_000 }, async () => {
  using playground = createPlayground();
  const command = fileURLToPath(new URL("../bin/narratoria.js", import.meta.url));
  const within = ["--dev-bind", "/", "/", "--size", "65536", "--tmpfs", playground.root];
  const play = [process.execPath, command, "play", "--script", "/dev/null", "--data", playground.data];
  const run = promisify(execFile)("bwrap", [...within, ...play]);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: `narratoria: ${playground.data}/narratoria.db cannot be opened. There is no room left on the disk, so this could not be kept. Make some room and try again.\n`,
  });
});

test("[X1.5] what a tool took does not follow a clock on the wall that jumps", async () => {
  let jumped = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + jumped };
  const host = createScriptedHost({
    clock,
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("x") : planOf("lamp")),
    tools: {
      lamp: (_, attempt) => {
        jumped += attempt === 1 ? -86_400_000 : 172_800_000;
        return attempt === 1 ? { takesMs: 20, error: failure("process_error") } : { takesMs: 20 };
      },
    },
  });
  const session = await host.begin();
  const turnId = await host.play(session, "go");
  const [tool] = ok(await host.sessions.view(session)).turns.find((turn) => turn.turnId === turnId)?.tools ?? [];
  const within = (ms: number | null | undefined): boolean => ms !== null && ms !== undefined && ms >= 20 && ms < 60_000;
  expect([tool?.attempts.map(({ durationMs }) => within(durationMs)), within(tool?.durationMs)]).toEqual([
    [true, true],
    true,
  ]);
  const [planned] = host.questions.at(-1)?.plans ?? [];
  const result = planned?.kind === "executed" ? planned.result : undefined;
  expect(within(result?.executionTime)).toBe(true);
  for (const { startedAt, endedAt } of result?.toolResults[0]?.attempts ?? [])
    expect(Date.parse(endedAt)).toBeGreaterThan(Date.parse(startedAt));
  expect(within(result?.toolResults[0]?.executionTime)).toBe(true);
});
