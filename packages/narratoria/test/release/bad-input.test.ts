/** The packed command where something is not as it should be: one sentence that says what to do, and nothing left behind. */
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { INSTALL_MS, type InstalledPackages } from "../installed-packages.ts";
import { arrive, isRoot, ORDINARY, type Newcomer, type Who } from "./newcomer.ts";

const oldNode = findNode((major, minor) => major < 22 || (major === 22 && minor < 18));
const SHARED_MEMORY = "/dev/shm";

let newcomer: Newcomer;
let installed: InstalledPackages;
let place: string;
beforeAll(async () => {
  newcomer = await arrive();
  ({ installed } = newcomer);
}, INSTALL_MS);
afterAll(() => newcomer.leave());
beforeEach(() => {
  place = mkdtempSync(join(newcomer.root, "place-"));
  chmodSync(place, 0o755);
});

describe("a story folder that is none", () => {
  test.each([
    ["is not there", (): string => join(place, "story"), "there is no story folder"],
    ["is a file", (): string => write("story"), "is no story: that is a folder with a story.json or a story.ink in it"],
    ["is empty", (): string => folder("story"), "is no story: that is a folder with a story.json or a story.ink in it"],
  ])("%s", (_, make, words) => {
    const story = make();
    for (const command of [["serve", "--port", "0"], ["play"], ["module"]]) {
      const ran = narratoria([...command, "--story", story, "--data", join(place, "data")]);
      expectOneSentence(ran, 2, words);
      expect(existsSync(join(place, "data"))).toBe(false);
    }
  });
});

describe("a data folder that cannot be one", () => {
  test.each([
    ["is a file", (): string => write("data"), "is no folder"],
    ["lies in a file", (): string => join(write("data"), "inside"), "choose another with --data"],
    ["lies where nothing can be made", (): string => "/proc/narratoria", "choose another with --data"],
  ])("%s", (_, make, words) => {
    const data = make();
    const before = readdirSync(place);
    expectOneSentence(narratoria(["serve", "--port", "0", "--data", data]), 1, words);
    expect(readdirSync(place)).toEqual(before);
  });

  test.runIf(isRoot)("may not be written by this user (needs root, to be another one)", () => {
    // Root's own: an ordinary user may look into it and no more.
    const data = join(folder("shut"), "data");
    const ran = narratoria(["serve", "--port", "0", "--data", data], ORDINARY);
    expectOneSentence(ran, 1, "this user may not write there; choose another with --data");
    expect(readdirSync(join(place, "shut"))).toEqual([]);
  });

  test.runIf(isRoot)("belongs to another user (needs root, to be another one)", () => {
    const ran = narratoria(["serve", "--port", "0", "--data", folder("data")], ORDINARY);
    expectOneSentence(ran, 1, "belongs to another user");
  });
});

describe("what is printed cannot be written", () => {
  const commands = [["--help"], ["--version"], ["sessions", "list"], ["doctor", "--json"]];
  test("whoever read it has left: it ends quietly, and not as if all were well", async () => {
    for (const command of commands) {
      const child = spawn(newcomer.node, [installed.command, ...command], { cwd: place, env: environment() });
      child.stdout.destroy();
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      const [exitCode] = (await once(child, "close")) as [number];
      expect([exitCode, stderr], command.join(" ")).toEqual([1, ""]);
    }
  });

  test.runIf(existsSync("/dev/full"))("the disk behind it is full (needs /dev/full)", () => {
    writeFileSync(join(place, "plan.json"), JSON.stringify({ requestId: "r", tools: [] }));
    for (const command of [...commands, ["run", "plan.json"]]) {
      const full = openSync("/dev/full", "w");
      const stdio = ["ignore", full, "pipe"] as const;
      const args = [installed.command, ...command];
      const ran = spawnSync(newcomer.node, args, {
        cwd: place,
        env: environment(),
        stdio: [...stdio],
        encoding: "utf8",
      });
      closeSync(full);
      expect(ran.stderr).toMatch(/^narratoria: what was to be printed could not be written: ENOSPC[^\n]*\n$/);
      expect(ran.status, command.join(" ")).toBe(1);
    }
  });
});

describe("no home", () => {
  const noHome = (HOME?: string): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME });

  test.runIf(isRoot)("of a user who is only a number (needs root, to be one)", () => {
    const run = (...args: string[]): SpawnSyncReturns<string> =>
      spawnSync(newcomer.node, [installed.command, ...args], { env: noHome(), encoding: "utf8", ...ORDINARY });
    expectOneSentence(run("sessions", "list"), 1, "this user has no home to keep stories in; say with --data where");
    expect(run("sessions", "list", "--data", join(place, "data"))).toMatchObject({ status: 0, stderr: "" });
    expect(run("--help")).toMatchObject({ status: 0, stderr: "" });
  });

  test.each(["", "somewhere"])('HOME="%s" leaves nothing in the folder one is in', (home) => {
    const args = [installed.command, "sessions", "list"];
    const ran = spawnSync(newcomer.node, args, { cwd: place, env: noHome(home), encoding: "utf8" });
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(readdirSync(place)).toEqual([]);
  });

  test("a home that is not there is not made", () => {
    const args = [installed.command, "sessions", "list"];
    const ran = spawnSync(newcomer.node, args, { env: noHome(join(place, "home")), encoding: "utf8" });
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(readdirSync(place)).toEqual([]);
  });
});

describe("narratoria run", () => {
  const plan = (): string => {
    writeFileSync(join(place, "plan.json"), JSON.stringify({ requestId: "r", tools: [] }));
    return join(place, "plan.json");
  };
  test("a folder to run in that is none", () => {
    expectOneSentence(narratoria(["run", plan(), "--story", join(place, "none")]), 2, "there is no folder");
    expectOneSentence(narratoria(["run", plan(), "--story", plan()]), 2, "there is no folder");
  });

  test("a data folder that cannot be one", () => {
    expectOneSentence(narratoria(["run", plan(), "--data", "/proc/none"]), 1, "choose another with --data");
  });

  test("a recording that cannot be written: what the plan did is told all the same", () => {
    const ran = narratoria(["run", plan(), "--record", join(place, "none/recording")]);
    expect(ran.stderr).toMatch(/^narratoria: cannot write [^\n]*no such file or directory[^\n]*\n$/);
    expect(ran.status).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({ success: true });
  });
});

test("the folder one is in was deleted", () => {
  const gone = folder("gone");
  const script = `rmdir ${gone} && ${newcomer.node} ${installed.command} play --script /dev/null --allow-unconfined`;
  const ran = spawnSync("sh", ["-c", script], { cwd: gone, env: environment(), encoding: "utf8" });
  expect(ran).toMatchObject({ status: 0, stderr: "" });
});

test.each([
  ["an address of another machine", ["--port", "0", "--host", "203.0.113.7"], 1, "is no address of this machine"],
  ["a port that is none", ["--port", ""], 2, "is no port"],
])("%s", (_, args, status, words) => {
  expectOneSentence(narratoria(["serve", ...args, "--data", join(place, "data")]), status, words);
  expect(existsSync(join(place, "data"))).toBe(false);
});

test("a port that is taken", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const ran = narratoria(["serve", "--port", String(port), "--data", join(place, "data")]);
  other.close();
  expectOneSentence(ran, 1, `port ${port} is taken; --port 0 picks a free one`);
  expect(existsSync(join(place, "data"))).toBe(false);
});

test("no browser: the address is there to be opened by hand, and the app runs", async () => {
  const args = [installed.command, "serve", "--open", "--port", "0", "--data", join(place, "data")];
  const env = { ...environment(), DISPLAY: ":9", PATH: place };
  const child = spawn(newcomer.node, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await once(child.stdout, "data");
  await expect.poll(() => stderr).toContain("No browser could be started here: open that address in one yourself.\n");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(existsSync(join(place, "data/open.html"))).toBe(false);
});

test.runIf(isRoot)("no network at all: the story is told all the same (needs root, to be without)", () => {
  const script = join(place, "prompts");
  writeFileSync(script, "light the torch\n");
  const command = [newcomer.node, installed.command, "play", "--script", script, "--allow-unconfined"];
  const ran = spawnSync("unshare", ["--net", ...command], { env: environment(), encoding: "utf8" });
  expect(ran.status, ran.stderr).toBe(0);
  expect(ran.stdout).toContain("The vote was unanimous.");
});

test.runIf(isOnAnotherDisk())("assets on another disk than temporary files are kept (needs /dev/shm)", () => {
  const data = mkdtempSync(join(SHARED_MEMORY, "narratoria-"));
  try {
    const story = folder("story");
    const picture =
      '{"version":"0","type":"asset","assetId":"a","kind":"text","mediaType":"text/plain","path":"%s/a.txt"}';
    const tool = `#!/bin/sh\necho hello > "$NARRATORIA_ASSET_DIR/a.txt"\nprintf '${picture}\\n' "$NARRATORIA_ASSET_DIR"\n`;
    writeFileSync(join(story, "paint.sh"), `${tool}echo '{"version":"0","type":"done","ok":true}'\n`, { mode: 0o755 });
    const plan = { requestId: "r", tools: [{ toolId: "t", toolPath: "./paint.sh", input: {} }] };
    writeFileSync(join(story, "plan.json"), JSON.stringify(plan));
    const ran = narratoria(["run", join(story, "plan.json"), "--data", data, "--allow-unconfined"]);
    expect(ran.status, ran.stdout + ran.stderr).toBe(0);
    const shelves = readdirSync(join(data, "assets")).filter((name) => name !== "incoming");
    expect(shelves).toHaveLength(1);
  } finally {
    rmSync(data, { recursive: true });
  }
});

test.runIf(oldNode !== null)("a Node that is too old (needs one older than 22.18 on the PATH)", () => {
  const ran = spawnSync(oldNode ?? "", [installed.command, "play"], { env: environment(), encoding: "utf8" });
  expectOneSentence(ran, 1, "Node.js 22.18 or newer is needed");
  const version = spawnSync(oldNode ?? "", [installed.command, "--version"], { encoding: "utf8" });
  expect(version).toMatchObject({ status: 0, stderr: "" });
});

/** Which one is read from the environment, for a package of 120 MB is too much for one test. */
const oldestNode = process.env["NARRATORIA_OLDEST_NODE"];
test.runIf(oldestNode !== undefined)("the oldest Node that is promised (needs NARRATORIA_OLDEST_NODE)", () => {
  const script = join(place, "prompts");
  writeFileSync(script, "light the torch\n");
  const args = [installed.command, "play", "--script", script, "--allow-unconfined"];
  const ran = spawnSync(oldestNode ?? "", args, { env: environment(), encoding: "utf8" });
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  expect(ran.stdout).toContain("The vote was unanimous.");
});

function expectOneSentence(ran: SpawnSyncReturns<string>, status: number, words: string): void {
  expect(ran.stderr).toContain(words);
  expect(ran.stderr).toMatch(/^narratoria: [^\n]+\n$/);
  expect(ran.status).toBe(status);
  expect(ran.stdout).toBe("");
}

function narratoria(args: readonly string[], who: Who = {}): SpawnSyncReturns<string> {
  // A command that would go on, or never end, is ended: that shows as no exit code.
  const ending = { timeout: 60_000, killSignal: "SIGKILL" } as const;
  const command = [installed.command, ...args];
  return spawnSync(newcomer.node, command, {
    cwd: place,
    env: environment(),
    encoding: "utf8",
    ...ending,
    ...who,
  });
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: newcomer.root };
}

function write(name: string): string {
  writeFileSync(join(place, name), "not what was meant");
  return join(place, name);
}

function folder(name: string): string {
  mkdirSync(join(place, name));
  return join(place, name);
}

function isOnAnotherDisk(): boolean {
  return existsSync(SHARED_MEMORY) && statSync(SHARED_MEMORY).dev !== statSync(tmpdir()).dev;
}

function findNode(isWanted: (major: number, minor: number) => boolean): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((each) => !each.includes("node_modules"));
  for (const node of folders.map((each) => join(each, "node")).filter((file) => existsSync(file))) {
    const version = spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout;
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (isWanted(major, minor)) return node;
  }
  return null;
}
