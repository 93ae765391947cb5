/** The shared suite: whatever a tool does, every way of starting it must give the same outcome. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { createProcessRunner } from "../src/runners/process.ts";
import type { Sandbox } from "../src/runtime/seams/sandbox.ts";
import { EXPECTED_OUTCOMES } from "./expected-outcomes.ts";
import { processesMentioning } from "./processes.ts";
import { makeReadableCopy } from "./readable-copy.ts";
import { createRig } from "./rig.ts";
import { outcomeOf, runFixture } from "./run-fixture.ts";

export function describeToolBehaviour(name: string, sandbox: Sandbox): void {
  const quick = { sandbox, terminateGraceMs: 300, lingerMs: 1_500, drainMs: 300 };
  const runner = createProcessRunner(quick);
  afterAll(() => sandbox.close());

  describe.concurrent(`${name}: outcomes`, () => {
    test.for(EXPECTED_OUTCOMES)("[$rule] $fixture: $expected", async ({ fixture, expected }) => {
      const endsLate = expected.startsWith("timeout timeout TIMEOUT");
      const { report } = await runFixture(runner, fixture, { timeoutMs: endsLate ? 400 : 20_000 });
      expect(outcomeOf(report)).toBe(expected);
      expect(report.sandbox).toBe(sandbox.level);
    });
  });

  describe(`${name}: what a tool is given`, () => {
    test("[T1.2] [T1.3] [T1.6] the story folder, one line of input, a clean environment", async () => {
      const { NODE_OPTIONS, PYTHONPATH } = process.env;
      Object.assign(process.env, { SECRET_API_KEY: "x", NODE_OPTIONS: "--title=host", PYTHONPATH: "/of/the/host" });
      // Where everybody may read: elsewhere the partial sandbox of root lets it work in a copy.
      using copy = makeReadableCopy(["packages/narratoria/test/fixtures/tools/prints-its-environment"]);
      const storyDir = join(copy.path, "packages/narratoria/test/fixtures/tools");
      const { events, report } = await runFixture(runner, "prints-its-environment", {
        command: [join(storyDir, "prints-its-environment")],
        storyDir,
        requestId: "request-1",
        input: { name: "Ada" },
        dependencies: { first: { a: 1 }, second: null },
        state: { lamp: { lit: true } },
      });
      delete process.env["SECRET_API_KEY"];
      restore("NODE_OPTIONS", NODE_OPTIONS);
      restore("PYTHONPATH", PYTHONPATH);
      expect(report.outcome).toEqual({ kind: "completed", summary: null });
      const seen = (events[0] as { patch: JsonObject }).patch;
      expect(seen["cwd"]).toBe(storyDir);
      expect(seen["call"]).toEqual({
        requestId: "request-1",
        tool: "prints-its-environment",
        operation: "run",
        input: { name: "Ada" },
        context: { dependencies: { first: { a: 1 }, second: null }, state: { lamp: { lit: true } } },
      });
      const environment = seen["environment"] as JsonObject;
      const names = Object.keys(environment);
      const known =
        /^(PATH|HOME|LANG|LC_.*|TMPDIR|TZ|PWD|NODE_OPTIONS|PYTHONPATH|NARRATORIA_REQUEST_ID|NARRATORIA_ASSET_DIR)$/;
      expect(names.filter((variable) => !known.test(variable))).toEqual([]);
      expect(environment["NARRATORIA_REQUEST_ID"]).toBe("request-1");
      // Ours, and nothing else: the SDKs are found by them.
      expect(environment["NODE_OPTIONS"]).toMatch(/^--require "[^"]*\/provide\.cjs"$/);
      expect(environment["PYTHONPATH"]).toMatch(/^[^:]*\/python$/);
    });

    test("[X1.1] [Z1.7] less of the processor than its host, when there is not enough for both", async () => {
      const group = '$(sed "s/.*nice //" /proc/self/autogroup 2>/dev/null || echo null)';
      const says = `echo "{\\"version\\":\\"0\\",\\"type\\":\\"state_patch\\",\\"patch\\":{\\"nice\\":$(nice),\\"group\\":${group}}}"`;
      // Without a sandbox it is put back a moment after it was started.
      const done = `echo '{"version":"0","type":"done","ok":true}'`;
      const { events } = await runFixture(runner, "nice", { command: ["/bin/sh", "-c", `sleep 1; ${says}; ${done}`] });
      const nice = Math.min(19, getPriority() + 10);
      // A kernel that shares between sessions of processes must be told of the whole session.
      expect(events[0]).toMatchObject({ patch: { nice, group: existsSync("/proc/self/autogroup") ? nice : null } });
    });

    test("[T1.4] fifty megabytes of input that nobody reads", async () => {
      const { report } = await runFixture(runner, "never-reads-its-input", { input: { big: "x".repeat(50_000_000) } });
      expect(outcomeOf(report)).toBe("completed");
    });

    test("[T1.5] the last 64 KiB of stderr are kept", async () => {
      const { report } = await runFixture(runner, "floods-stderr");
      expect(report.stderrTail.length).toBeLessThanOrEqual(64 * 1024);
      expect(report.stderrTail).toMatch(/a complaint\nthe last words\n$/);
    });
  });

  describe(`${name}: events`, () => {
    test("[T2.1] a character split over two writes is intact", async () => {
      const { events } = await runFixture(runner, "splits-a-character");
      expect(events[0]).toMatchObject({ message: "€" });
    });

    test("[T2.4] each line is handled as it arrives, in order", async () => {
      await using rig = await createRig();
      const seen: string[] = [];
      const line = (message: string): string => JSON.stringify({ version: "0", type: "log", level: "info", message });
      let arrived = (): void => {};
      const run = runFixture(runner, "rig", {
        ...rig.call(),
        sink: ({ event }) => {
          if (event.type === "log") seen.push(event.message);
          arrived();
          return undefined;
        },
      });
      const tool = await rig.nextInvocation();
      for (const message of ["first", "second", "third"]) {
        const arrival = new Promise<void>((done) => (arrived = done));
        tool.print(`${line(message)}\n`);
        await arrival;
      }
      expect(seen).toEqual(["first", "second", "third"]);
      tool.print('{"version":"0","type":"done","ok":true}\n');
      tool.exit(0);
      expect(outcomeOf((await run).report)).toBe("completed");
    });

    test("[T2.4] a slow reader holds the tool back instead of piling up its output", async () => {
      await using rig = await createRig();
      let release = (): void => {};
      const gate = new Promise<void>((open) => (release = open));
      const run = runFixture(runner, "rig", { ...rig.call(), sink: () => gate.then(() => undefined) });
      const tool = await rig.nextInvocation();
      const line = `${JSON.stringify({ version: "0", type: "log", level: "info", message: "x".repeat(1000) })}\n`;
      tool.print(line.repeat(3000));
      const backedUp = await tool.reportWhenBlocked();
      expect(backedUp).toBe(true);
      release();
      tool.print('{"version":"0","type":"done","ok":true}\n');
      tool.exit(0);
      const { report, events } = await run;
      expect(outcomeOf(report)).toBe("completed");
      expect(events.length).toBe(3001);
    });

    test("[T3.2] what came before a violation stays, what comes after is not taken", async () => {
      const { events, report } = await runFixture(runner, "patches-before-a-violation");
      expect(events).toEqual([{ version: "0", type: "state_patch", patch: { before: 1 } }]);
      expect(report.outcome.kind === "failed" && report.outcome.error.message).toMatch(/^line 2: .*: oops$/);
    });

    test("[T3.2] the message quotes at most 200 characters of the line", async () => {
      const { report } = await runFixture(runner, "endless-line");
      const message = report.outcome.kind === "failed" ? report.outcome.error.message : "";
      expect(message).toMatch(/^line 1: longer than 8388608 bytes: x{200}$/);
    });

    test("[T3.1] [T3.3] [T2.3] oddities are warnings", async () => {
      const warningsOf = async (fixture: string): Promise<string[]> =>
        (await runFixture(runner, fixture)).report.warnings;
      expect(await warningsOf("foreign-request-id")).toEqual([expect.stringContaining("requestId")]);
      expect(await warningsOf("bad-timestamp")).toEqual([expect.stringContaining("timestamp")]);
      expect(await warningsOf("integer-beyond-2-to-the-53")).toEqual([expect.stringContaining("2^53")]);
    });

    test("[T4.6] the first done counts, the rest is counted and discarded", async () => {
      const { events, report } = await runFixture(runner, "talks-after-done");
      expect(events.map(({ type }) => type)).toEqual(["done"]);
      expect(report.eventsAfterDone).toBe(3);
    });

    test("[S1.5] the sink can refuse, and the tool has failed with what it said", async () => {
      const refusal = { category: "forbidden", code: "FORBIDDEN_WRITE", message: "no" } as const;
      const { report, events } = await runFixture(runner, "completes", {
        sink: ({ event }) => (event.type === "state_patch" ? refusal : undefined),
      });
      expect(report.outcome).toEqual({ kind: "failed", error: refusal });
      expect(events.map(({ type }) => type)).toEqual(["log", "state_patch"]);
    });

    test("a sink that breaks is no outcome of the tool: the run rejects and the tool is gone", async () => {
      const broken = runFixture(runner, "completes", {
        sink: () => {
          throw new Error("disk full");
        },
      });
      await expect(broken).rejects.toThrow("disk full");
    });
  });

  describe(`${name}: endings`, () => {
    test("[T5.3] a tool that ends itself in good order on SIGTERM gets to do so", async () => {
      const { report } = await runFixture(runner, "tells-of-sigterm", { timeoutMs: 400 });
      expect(report.stderrTail).toContain("asked to end");
    });

    test("[X1.6] an abort signal ends the tool and everything it started", async () => {
      const mark = `narratoria-${randomBytes(6).toString("hex")}`;
      const stop = new AbortController();
      const run = runFixture(runner, "sleepers", {
        command: ["/bin/sh", "-c", `sleep 61 & sh -c 'sleep 62; : ${mark}' & sleep 63; : ${mark}`],
        signal: stop.signal,
      });
      await expect.poll(() => processesMentioning(mark).length).toBeGreaterThan(1);
      stop.abort();
      const { report } = await run;
      expect(outcomeOf(report)).toBe("failed process_error CANCELLED");
      expect(processesMentioning(mark)).toEqual([]);
    });

    test("[X1.6] a signal that was aborted before the start", async () => {
      const { report } = await runFixture(runner, "ignores-sigterm", { signal: AbortSignal.abort() });
      expect(outcomeOf(report)).toBe("failed process_error CANCELLED");
    });

    test("[T1.1] after every outcome the group is gone", async () => {
      const mark = `narratoria-${randomBytes(6).toString("hex")}`;
      const done = '{"version":"0","type":"done","ok":true}';
      const script = `sh -c 'sleep 64; : ${mark}' & echo '${done}'; : ${mark}`;
      const { report } = await runFixture(runner, "sleepers", { command: ["/bin/sh", "-c", script] });
      expect(outcomeOf(report)).toBe("completed");
      expect(processesMentioning(mark)).toEqual([]);
    });
  });

  describe(`${name}: volume`, () => {
    test("[T2.4] a million events leave the host's memory where it was", { timeout: 120_000 }, async () => {
      const measured = await measureHost("a-million-events", sandbox.level);
      expect(measured).toMatchObject({ outcome: "completed", events: 1_000_001 });
      expect(measured.megabytes).toBeLessThan(64);
    });

    test("[T2.3] an endless line is ended at the limit, in little memory", async () => {
      const measured = await measureHost("endless-line", sandbox.level);
      expect(measured).toMatchObject({ outcome: "failed protocol_violation LINE_TOO_LONG", events: 0 });
      expect(measured.megabytes).toBeLessThan(64);
    });
  });
}

async function measureHost(
  fixture: string,
  level: string,
): Promise<{ outcome: string; events: number; megabytes: number }> {
  const script = fileURLToPath(new URL("./measure-host.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, fixture, level]);
  return JSON.parse(stdout) as { outcome: string; events: number; megabytes: number };
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
