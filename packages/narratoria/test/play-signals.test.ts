/** `narratoria play` told to end, by signals and by keys of a real terminal, while a tool runs that does not want to. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSessionsReadOnly } from "../src/create-narratoria.ts";
import { processesWorkingIn } from "./processes.ts";
import { ok } from "./scripted-host.ts";
import { createPlayground, type Playground } from "./serve-process.ts";

const COMMAND = fileURLToPath(new URL("../bin/narratoria.js", import.meta.url));
let playground: Playground;
let child: ChildProcess | undefined;
beforeEach(() => {
  playground = createPlayground();
});
afterEach(() => {
  child?.kill("SIGKILL");
  playground[Symbol.dispose]();
});

const playing = (): string[] => {
  return [COMMAND, "play", "--story", playground.story, "--data", playground.data, "--allow-unconfined"];
};

async function untilItRuns(): Promise<void> {
  await expect.poll(() => processesWorkingIn(playground.story).join(), { timeout: 60_000 }).toContain("sleep 60");
}

async function lastTurn(): Promise<unknown> {
  const sessions = await openSessionsReadOnly(playground.data);
  const [kept] = await sessions.list();
  const view = ok(await sessions.view(kept?.sessionId ?? ""));
  await sessions.close();
  return view.turns.at(-1);
}

test.for(["SIGTERM", "SIGHUP"] as const)(
  "[X1.6] [Z1.4] play on %s cancels the turn, which is not left as interrupted, and leaves",
  { timeout: 150_000 },
  async (signal) => {
    child = spawn(process.execPath, playing(), { stdio: ["pipe", "ignore", "inherit"] });
    child.stdin?.write("wait\n");
    await untilItRuns();
    child.kill(signal);
    await once(child, "exit");
    expect([child.exitCode, child.signalCode]).toEqual([1, null]);
    expect(await lastTurn()).toMatchObject({ prompt: "wait", status: "cancelled" });
    expect(processesWorkingIn(playground.story)).toEqual([]);
  },
);

test("[X1.6] Ctrl+C at a terminal stops the turn and, the third time, does not wait for a tool that clings", async () => {
  const line = [process.execPath, ...playing()].map((word) => `'${word}'`).join(" ");
  // `script` gives it a terminal, whose keys are what we write.
  child = spawn("script", ["-qfec", line, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
  let shown = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (shown += text));
  await expect.poll(() => shown, { timeout: 60_000 }).toContain("> ");
  child.stdin?.write("cling\r");
  await untilItRuns();
  const exited = once(child, "exit");
  for (let pressed = 1; pressed <= 3; pressed++) {
    child.stdin?.write("\u0003");
    await new Promise((go) => setTimeout(go, 300));
  }
  await exited;
  expect(child.exitCode).toBe(130);
  await expect.poll(() => processesWorkingIn(playground.story), { timeout: 60_000 }).toEqual([]);
}, 150_000);
