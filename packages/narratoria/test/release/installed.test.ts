/** The packages used from an empty folder, as root and as an ordinary user: what a newcomer does in the first minutes. */
import { execFileSync, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INSTALL_MS } from "../installed-packages.ts";
import { arrive, isRoot, ORDINARY, type Newcomer, type Who } from "./newcomer.ts";

let newcomer: Newcomer;
let folder: string;
beforeAll(async () => {
  newcomer = await arrive();
  folder = join(newcomer.root, "folder");
  // A copy of its own: what is written here is nobody else's.
  cpSync(newcomer.installed.folder, folder, { recursive: true, verbatimSymlinks: true });
}, INSTALL_MS);
afterAll(() => newcomer.leave());

const users = isRoot ? ["root", "an ordinary user"] : ["this user"];

describe.each(users)("as %s", (user) => {
  const who = user === "an ordinary user" ? ORDINARY : {};
  const home = (): string => makeHome(user, who);
  const narratoria = (...args: string[]): SpawnSyncReturns<string> => run(home(), who, args);

  test("the command tells its version and what it can do", () => {
    expect(narratoria("--version")).toMatchObject({ status: 0, stdout: "0.1.0\n", stderr: "" });
    // The first was written when the package was made.
    expect(narratoria("--help")).toEqual({ ...narratoria("help"), pid: expect.any(Number) });
    expect(narratoria("help")).toMatchObject({ status: 0, stdout: expect.stringContaining("Usage: narratoria") });
  });

  test("the default story is told, with its tools", () => {
    writeFileSync(join(home(), "prompts"), "light the torch\nexamine the door\n", { mode: 0o644 });
    const played = narratoria("play", "--script", join(home(), "prompts"), "--allow-unconfined");
    expect(played.status, played.stderr).toBe(0);
    expect(played.stdout).toContain("The vote was unanimous.");
    expect(played.stdout).toContain("[torch lit: no -> yes]");
  });

  test.each(["dice-roller", "door-examiner", "torch-lighter", "flaky-lantern"])("builtin:%s runs", (name) => {
    const story = join(home(), `story-${name}`);
    mkdirSync(story, { recursive: true });
    const transport = { type: "stdio", command: [`builtin:${name}`] };
    const mount = { name, version: "1.0.0", kind: "tool", protocol: "narratoria/0", transport, capabilities: [] };
    writeFileSync(join(story, "story.json"), JSON.stringify({ title: "One tool", narrator: "stub", mounts: [mount] }));
    const input = { dice: "2d6", action: "light_torch" };
    const plan = {
      requestId: "r",
      tools: [{ toolId: "t", toolPath: name, input, retryPolicy: { maxRetries: 3, backoffMs: 1 } }],
    };
    writeFileSync(join(story, "plan.json"), JSON.stringify(plan));
    execFileSync("chmod", ["-R", "go=rX", story]);
    const ran = narratoria("run", join(story, "plan.json"), "--allow-unconfined");
    expect(ran.status, ran.stdout + ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ success: true });
  });

  test("a program that imports it plays a turn", () => {
    const program = `import { openNarratoria, isRefusal } from "narratoria";
      const host = await openNarratoria({ allowUnconfined: true });
      const opening = await host.sessions.begin();
      if (isRefusal(opening)) throw new Error(opening.message);
      const told = await host.sessions.say(opening.sessionId, "light the torch");
      console.log(JSON.stringify(told));
      await host.close();`;
    const ran = run(home(), who, ["--input-type=module", "--eval", program], null);
    expect(ran.status, ran.stderr).toBe(0);
    expect(ran.stdout).toContain("torch");
  });

  test("the doctor looks at everything", () => {
    const found = narratoria("doctor", "--json");
    expect(found.status, found.stderr).toBe(0);
    expect(JSON.parse(found.stdout)).toMatchObject({ version: "0.1.0" });
  });
});

test("a tool that imports @narratoria/tool from where it was installed runs", () => {
  const tool = join(folder, "tool.mts");
  writeFileSync(
    tool,
    `import { defineTool } from "@narratoria/tool";
     defineTool<{ n: number }>({}, (input, emit) => { emit.progress(input.n); return "Half."; });`,
  );
  const ran = spawnSync(process.execPath, [tool], { input: JSON.stringify({ input: { n: 0.5 } }), encoding: "utf8" });
  expect(
    ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object),
  ).toMatchObject([
    { type: "log", fields: { progress: 0.5 } },
    { type: "done", summary: "Half." },
  ]);
});

test("nothing was written beside the code", () => {
  const fresh = readdirSync(folder).toSorted();
  expect(fresh).toEqual(["node_modules", "package-lock.json", "package.json", "tool.mts"]);
  expect(existsSync(join(folder, "node_modules/narratoria/tools/torch-lighter/__pycache__"))).toBe(false);
});

function makeHome(user: string, { uid, gid }: Who): string {
  const home = join(newcomer.root, user.replaceAll(" ", "-"));
  if (!existsSync(home)) mkdirSync(home, { mode: 0o755 });
  if (uid !== undefined && gid !== undefined) chownSync(home, uid, gid);
  return home;
}

function run(
  home: string,
  who: Who,
  args: readonly string[],
  command: string | null = join(folder, "node_modules/narratoria/bin/narratoria.js"),
): SpawnSyncReturns<string> {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    NARRATORIA_DATA: join(home, "data"),
  };
  return spawnSync(newcomer.node, command === null ? args : [command, ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
    timeout: 120_000,
    ...who,
  });
}
