/** Folders of a host that was killed go when the next one starts; those of a living one stay. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeLeftoverFolders } from "../src/sandbox/own-folders.ts";

const SLEEPER = fileURLToPath(new URL("./run-sleeper.ts", import.meta.url));
const TEMPORARY = process.env["TMPDIR"];
let temporary: string;

beforeEach(() => {
  temporary = mkdtempSync(join(realpathSync(tmpdir()), "narratoria-leftovers-"));
  chmodSync(temporary, 0o755);
  process.env["TMPDIR"] = temporary;
});
afterEach(() => {
  if (TEMPORARY === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = TEMPORARY;
  rmSync(temporary, { recursive: true, force: true });
});

async function startHost(): Promise<ChildProcess> {
  const host = spawn(process.execPath, [SLEEPER, "leftover"], { stdio: "ignore" });
  const isThere = (): boolean => readdirSync(temporary).some((name) => name.includes(`-tool-${host.pid}.`));
  await expect.poll(isThere, { timeout: 10_000 }).toBe(true);
  return host;
}

async function kill(host: ChildProcess): Promise<void> {
  host.kill("SIGKILL");
  await once(host, "exit");
}

test("[Z1.3] what a killed host left is removed, what a living one uses is not", async () => {
  const killed = await startHost();
  await kill(killed);
  const leftovers = readdirSync(temporary);
  expect(leftovers).toContainEqual(expect.stringContaining(`narratoria-tool-${killed.pid}.`));
  const living = await startHost();
  // The second host has removed it, or is about to; in any case it is ours to remove, and nothing else is.
  await removeLeftoverFolders();
  const left = readdirSync(temporary);
  expect(left.filter((name) => leftovers.includes(name))).toEqual([]);
  expect(left).toContainEqual(expect.stringContaining(`narratoria-tool-${living.pid}.`));
  // Besides that, at most a copy of a Node that only we can read.
  expect(left.filter((name) => !name.includes(`-${living.pid}.`))).toEqual([]);
  await kill(living);
});
