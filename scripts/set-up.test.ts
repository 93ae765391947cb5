/** Runs the real set-up script in a folder of its own, with a stand-in for npm that writes down how it was called. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "narratoria-set-up-"));
  mkdirSync(path.join(folder, "scripts"));
  mkdirSync(path.join(folder, "packages/tool"), { recursive: true });
  cpSync(path.join(import.meta.dirname, "set-up.js"), path.join(folder, "scripts/set-up.js"));
  write("package.json", '{ "type": "module", "devDependencies": { "checker": "1.0.0" } }');
  write("packages/tool/package.json", "{}");
  write("bin/bwrap", "");
  fakeNpm("");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the first start installs without development packages, the second does nothing", () => {
  const first = setUp("start");
  expect(first.status).toBe(0);
  expect(first.stderr).toMatch(
    /^Installing what Narratoria needs \(about a minute the first time\)\.\.\. done in \d+ s\n$/,
  );
  expect(npmCalls()).toEqual([expect.stringMatching(/^install --no-save .*--omit=dev$/)]);

  const second = setUp("start");
  expect(second).toMatchObject({ status: 0, stdout: "", stderr: "" });
  expect(npmCalls()).toHaveLength(1);
});

test("the tests install everything, also after start, and that is enough for start", () => {
  setUp("start");
  setUp("test");
  setUp("start");
  expect(npmCalls()).toEqual([expect.stringMatching(/--omit=dev$/), expect.stringMatching(/--include=dev$/)]);
});

test.each(["package.json", "package-lock.json", ".npmrc", "packages/tool/package.json"])(
  "a change to %s installs again",
  (file) => {
    setUp("start");
    write(file, '{ "type": "module", "changed": true }');
    setUp("start");
    expect(npmCalls()).toHaveLength(2);
  },
);

test("start keeps development packages that are already there", () => {
  write("node_modules/checker/package.json", "{}");
  setUp("start");
  expect(npmCalls()).toEqual([expect.stringMatching(/--include=dev$/)]);
});

test("a failed install shows what npm said and what to do, and is tried again the next time", () => {
  fakeNpm('console.error("npm error code EAI_AGAIN"); process.exit(1);');
  const failed = setUp("start");
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain("npm error code EAI_AGAIN");
  expect(failed.stderr).toContain("check the network");
  expect(existsSync(path.join(folder, "node_modules/.narratoria-setup.lock"))).toBe(false);

  fakeNpm("");
  expect(setUp("start").status).toBe(0);
  expect(npmCalls()).toHaveLength(2);
});

test("a lock left by a process that is gone is taken over", () => {
  const gone = spawnSync(process.execPath, ["--version"]).pid;
  write("node_modules/.narratoria-setup.lock", String(gone));
  expect(setUp("start").status).toBe(0);
  expect(npmCalls()).toHaveLength(1);
});

test.runIf(process.platform === "linux")("without bubblewrap and apt, start says what to install and goes on", () => {
  rmSync(path.join(folder, "bin/bwrap"));
  const ran = setUp("start");
  expect(ran.status).toBe(0);
  expect(ran.stderr).toMatch(/\nPlease install bubblewrap so that tools run in a sandbox; going on without it\.\n$/);
});

test("no package runs a script of its own when it is installed", () => {
  setUp("start");
  expect(npmCalls()).toEqual([expect.stringContaining("--ignore-scripts")]);
  // In .npmrc it would switch off prestart and pretest, and with them this set-up.
  expect(readFileSync(path.join(import.meta.dirname, "../.npmrc"), "utf8")).not.toContain("ignore-scripts");
});

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("as root, with apt", () => {
  beforeEach(() => {
    rmSync(path.join(folder, "bin/bwrap"));
    const installed = path.join(folder, "bin/bwrap");
    write("bin/apt-get", `#!/bin/sh\necho "$*" >> ${path.join(folder, "apt-calls")}\n: > ${installed}\n`);
    chmodSync(path.join(folder, "bin/apt-get"), 0o755);
  });

  test("what is going to be installed, and why, is said before, and once", () => {
    const told = "This runs as root, so it installs the system's package bubblewrap, so that tools run in a sandbox.";
    const { stderr } = setUp("start");
    expect(stderr.indexOf(told)).toBeLessThan(stderr.indexOf("Installing bubblewrap"));
    expect(stderr).toContain("With NARRATORIA_NO_INSTALL=1 it leaves the system as it is.");
    expect(readFileSync(path.join(folder, "apt-calls"), "utf8")).toMatch(/^install .*bubblewrap\n$/);
    expect(setUp("start").stderr).toBe("");
  });

  test("with NARRATORIA_NO_INSTALL nothing is installed, and what is missing is said", () => {
    const { status, stderr } = setUp("start", { NARRATORIA_NO_INSTALL: "1" });
    expect([status, existsSync(path.join(folder, "apt-calls"))]).toEqual([0, false]);
    expect(stderr).toContain("Please install bubblewrap so that tools run in a sandbox; going on without it.");
  });
});

/** PATH holds only the folder's own bin, so nothing of this machine is found or changed. */
function setUp(mode: "start" | "test", more: { [name: string]: string } = {}) {
  const env = { PATH: path.join(folder, "bin"), npm_execpath: path.join(folder, "npm.cjs"), ...more };
  return spawnSync(process.execPath, ["scripts/set-up.js", mode], { cwd: folder, env, encoding: "utf8" });
}

function npmCalls(): string[] {
  const file = path.join(folder, "npm-calls");
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

function fakeNpm(thenRun: string): void {
  const record = 'require("fs").appendFileSync("npm-calls", process.argv.slice(2).join(" ") + "\\n");';
  write("npm.cjs", `${record}\n${thenRun}`);
}

function write(file: string, content: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), content);
}
