/** What Narratoria keeps is its owner's alone, whatever lay there before. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { narratoria } from "./narratoria-command.ts";
import { createPlayground, serve, type Playground } from "./serve-process.ts";

const isRoot = process.getuid?.() === 0;
const ANOTHER_USER = 65_534;

let playground: Playground;
let data: string;
let umask: number;

beforeEach(() => {
  umask = process.umask(0o000);
  playground = createPlayground();
  ({ data } = playground);
});
afterEach(() => {
  process.umask(umask);
  playground[Symbol.dispose]();
});

describe("[Z1.8] the data folder", () => {
  test("everything in it is for its owner alone, also with a permissive umask and while it is in use", async () => {
    const serving = await playSomething();
    const modes = modesBelow(data);
    expect(modes["narratoria.db-wal"]).toBe("600");
    expect(Object.keys(modes).filter((name) => /^assets\/..\/[0-9a-f]{64}$/.test(name))).toHaveLength(1);
    expect(open(modes)).toEqual([]);
    await serving.end("SIGTERM");
  });

  test("what an older version left readable is made private, and still opens", async () => {
    await (await playSomething()).end("SIGTERM");
    execFileSync("chmod", ["-R", "a+rX,go+w", data]);
    const serving = await serve(["--port", "0", "--data", data, "--story", playground.story]);
    expect(open(modesBelow(data)).filter((name) => !/^assets\/..\/./.test(name))).toEqual([]);
    expect((await serving.api("GET", "/api/sessions")).body).toHaveLength(1);
    await serving.end("SIGTERM");
  });

  test("a folder with other things in it keeps its mode; what is ours in it is private", async () => {
    mkdirSync(data, { mode: 0o755 });
    writeFileSync(join(data, "my-notes.txt"), "", { mode: 0o644 });
    expect((await narratoria(["sessions", "end", "none", "--data", data])).stderr).not.toContain("another");
    expect(open(modesBelow(data))).toEqual(["", "my-notes.txt"]);
    chmodSync(data, 0o777);
    await refused("others may write to DATA; choose another with --data");
  });

  test("a link as the folder is refused", async () => {
    const elsewhere = `${data}-elsewhere`;
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, data);
    await refused(
      "DATA is a link, and Narratoria follows none where it keeps things; choose another with --data",
      EVERY_WAY_IN,
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test.each([
    "narratoria.db",
    "narratoria.db-wal",
    "host.lock",
    "grants.json",
    "grants.json.new",
    "token",
    "sign-ins.json",
    "assets",
    "assets/00",
  ])("%s as a link is refused, and what it leads to stays as it was", async (name) => {
    const victim = join(data, "..", "victim");
    if (name.startsWith("assets")) mkdirSync(victim, { mode: 0o755 });
    else writeFileSync(victim, "mine", { mode: 0o644 });
    mkdirSync(join(data, "assets"), { recursive: true, mode: 0o700 });
    rmSync(join(data, name), { recursive: true, force: true });
    symlinkSync(victim, join(data, name));
    const advice = "remove it, or choose another folder with --data";
    await refused(`DATA/${name} is a link, and Narratoria follows none where it keeps things; ${advice}`);
    if (!name.startsWith("assets")) expect(readFileSync(victim, "utf8")).toBe("mine");
    expect(lstatSync(victim).mode & 0o777).toBe(name.startsWith("assets") ? 0o755 : 0o644);
  });

  test("a FIFO in the place of the token does not hold anybody up", async () => {
    mkdirSync(data, { mode: 0o700 });
    execFileSync("mkfifo", [join(data, "token")]);
    await refused("DATA/token is no ordinary file; remove it, or choose another folder with --data", EVERY_WAY_IN);
  });

  test.runIf(isRoot)(
    "as root: a folder, a file in it or the folder above that is another user's is refused",
    async () => {
      mkdirSync(data, { mode: 0o700 });
      writeFileSync(join(data, "grants.json"), '{"weather":["net.fetch"]}', { mode: 0o600 });
      chownSync(join(data, "grants.json"), ANOTHER_USER, ANOTHER_USER);
      await refused(
        "DATA/grants.json belongs to another user (uid 65534); remove it, or choose another folder with --data",
      );
      chownSync(data, ANOTHER_USER, ANOTHER_USER);
      await refused("DATA belongs to another user (uid 65534); choose another with --data", EVERY_WAY_IN);
      rmSync(data, { recursive: true });
      const above = join(data, "..", "home");
      mkdirSync(above, { mode: 0o755 });
      chownSync(above, ANOTHER_USER, ANOTHER_USER);
      data = join(above, "data");
      await refused(
        "DATA lies in a folder where another user could put something else in its place; choose another with --data",
        [["play"]],
      );
    },
  );
});

const EVERY_WAY_IN = [["serve", "--port", "0"], ["play"], ["sessions", "list"], ["run", "PLAN"]];

async function refused(sentence: string, waysIn = [["sessions", "list"]]): Promise<void> {
  const message = `narratoria: ${sentence.replace("DATA", data)}\n`;
  const plan = join(playground.story, "plan.json");
  writeFileSync(plan, JSON.stringify({ requestId: "r", tools: [] }));
  for (const command of waysIn) {
    const run = await narratoria([...command.map((part) => part.replace("PLAN", plan)), "--data", data]);
    expect([command[0], run]).toEqual([command[0], { exitCode: 1, stdout: "", stderr: message }]);
  }
}

async function playSomething(): ReturnType<typeof serve> {
  const serving = await serve(["--port", "0", "--data", data, "--story", playground.story]);
  const { body } = await serving.api("POST", "/api/sessions", {});
  const { sessionId } = body as { sessionId: string };
  const isIdle = ({ turns }: { turns: { status: string }[] }): boolean =>
    turns.length > 0 && turns.every(({ status }) => status !== "running");
  await serving.until(sessionId, isIdle);
  await serving.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "paint" });
  await serving.until(sessionId, isIdle);
  return serving;
}

/** Octal, by the path below the folder; the folder itself is "". */
function modesBelow(folder: string): { [path: string]: string } {
  const names = ["", ...(readdirSync(folder, { recursive: true }) as string[])];
  return Object.fromEntries(names.map((name) => [name, (lstatSync(join(folder, name)).mode & 0o777).toString(8)]));
}

function open(modes: { [path: string]: string }): string[] {
  return Object.keys(modes).filter((path) => !modes[path]?.endsWith("00"));
}
