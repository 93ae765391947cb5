/** What a tool leaves or takes along, seen from the host; the ways out that a tool itself tries are in `adversary/`. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { createProcessRunner } from "../src/runners/process.ts";
import { DONE, makeStory } from "./made-story.ts";
import { processesMentioning } from "./processes.ts";
import { outcomeOf, runFixture } from "./run-fixture.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const COMMAND = fileURLToPath(new URL("../bin/narratoria.js", import.meta.url));
const SLEEPER = fileURLToPath(new URL("./run-sleeper.ts", import.meta.url));
const mark = `narratoria-${randomBytes(6).toString("hex")}`;
const sandbox = await sandboxOfLevel("full");
const runner = createProcessRunner({ sandbox, terminateGraceMs: 300 });
const folder = mkdtempSync(join(tmpdir(), "narratoria-host-"));
chmodSync(folder, 0o755);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await sandbox.close();
});

describe("[Z1.3] a hostile tool", () => {
  test("what it writes beside its asset folder and to /tmp stays in its own /tmp", async () => {
    const script = `echo x > "$NARRATORIA_ASSET_DIR/../${mark}"; echo x > /tmp/${mark}; dirname "$NARRATORIA_ASSET_DIR" >&2
      echo '{"version":"0","type":"done","ok":true}'`;
    const seen: boolean[] = [];
    const { report } = await runFixture(runner, "writes-beside", {
      command: ["/bin/sh", "-c", script],
      sink: () => {
        const own = readdirSync(tmpdir()).filter((name) => name.startsWith("narratoria-tool-"));
        seen.push(existsSync(join(tmpdir(), mark)), ...own.map((name) => existsSync(join(tmpdir(), name, mark))));
        return undefined;
      },
    });
    expect(outcomeOf(report)).toBe("completed");
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).not.toContain(true);
    // And with the tool its folders are gone.
    expect(existsSync(dirname(report.stderrTail.trim()))).toBe(true);
    expect(existsSync(report.stderrTail.trim())).toBe(false);
  });

  test("files that Narratoria itself was started with are not passed on", async () => {
    using story = makeStory({ "tools/reader": `#!/bin/sh\ncat /proc/self/fd/20 >&2\n${DONE}\n` });
    const tools = [{ toolId: "it", toolPath: "tools/reader" }];
    const plan = story.write("plan.json", { requestId: "p", narrative: "", tools });
    writeFileSync(join(folder, "file"), "a secret of the host");
    const inherited = openSync(join(folder, "file"), "r");
    const stdio: (number | "ignore" | "pipe")[] = ["ignore", "pipe", "ignore", ...Array<"ignore">(17).fill("ignore")];
    const child = spawn(process.execPath, [COMMAND, "run", plan], { stdio: [...stdio, inherited] });
    closeSync(inherited);
    let stdout = "";
    child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    await once(child, "close");
    expect(JSON.parse(stdout)).toMatchObject({ success: true, toolResults: [{ attempts: [{ stderrTail: "" }] }] });
  });

  test.each([0, 5, 15, 300])("[T1.1] a host killed %i ms after the launch takes its tool along", async (delay) => {
    const orphan = `${mark}-orphan-${delay}`;
    const child = spawn(process.execPath, [SLEEPER, orphan], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    await sleep(delay);
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect.poll(() => processesMentioning(orphan), { timeout: 5_000 }).toEqual([]);
  });

  test("[T1.1] a host killed before bubblewrap has done anything takes along what bubblewrap leaves", async () => {
    const orphan = `${mark}-early-orphan`;
    const late = join(folder, "bubblewrap-that-comes-late");
    // Nobody reads bubblewrap's status any more: it dies of that, and its init would wait for it for ever.
    const script = '#!/bin/sh\nwhile [ -d "/proc/$PPID" ]; do sleep 0.001; done\nexec /usr/bin/bwrap "$@"\n';
    writeFileSync(late, script, { mode: 0o755 });
    const child = spawn(process.execPath, [SLEEPER, orphan, late], { stdio: ["ignore", "ignore", "inherit"] });
    const [, signal] = (await once(child, "exit")) as [number | null, string | null];
    expect(signal).toBe("SIGKILL");
    await expect.poll(() => processesMentioning(orphan), { timeout: 5_000 }).toEqual([]);
  });
});
