/** Signing in from outside: what is printed, opened, kept and refused. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { narratoria } from "./narratoria-command.ts";
import { createPlayground, serve, type Playground, type Serving } from "./serve-process.ts";

const STRONG = "3f9c1e8842d07ab5c6e1f09273d4b8aa";

let playground: Playground;
let running: Serving[];

beforeEach(() => {
  playground = createPlayground();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((serving) => serving.end("SIGKILL")));
  playground[Symbol.dispose]();
});

describe("[Z1.8] the token", () => {
  test("is neither printed nor opened, and leaves the list of processes", async () => {
    const { address, stderr, pid, token } = await start(["--token", STRONG]);
    expect([address.includes(token), stderr()]).toEqual([false, ""]);
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).toMatch(/^narratoria serve\0*$/);
  });

  test("the browser is started with a file of ours, which leads to a one-time address", async () => {
    const bin = join(playground.data, "..", "bin");
    mkdirSync(bin);
    const seen = join(bin, "seen");
    writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\nprintf '%s' "$*" > ${seen}.new\nmv ${seen}.new ${seen}\n`);
    chmodSync(join(bin, "xdg-open"), 0o755);
    const serving = await start(["--open"], { DISPLAY: ":0", PATH: `${bin}:${process.env["PATH"]}` });
    await expect.poll(() => existsSync(seen)).toBe(true);
    const opened = readFileSync(seen, "utf8");
    expect(opened).toMatch(/^file:\/\/\/.*\/open\.html$/);
    const page = readFileSync(fileURLToPath(opened), "utf8");
    expect(statSync(fileURLToPath(opened)).mode & 0o777).toBe(0o600);
    expect(page).not.toContain(serving.token);
    const address = /url=(http:[^"]+)"/.exec(page)?.[1] ?? "";
    expect((await exchange(address)).status).toBe(201);
    await serving.end("SIGTERM");
    expect(existsSync(fileURLToPath(opened))).toBe(false);
  });

  test(
    "`narratoria token` shows the one that is kept; --rotate ends it and everything it opened",
    { timeout: 120_000 },
    async () => {
      const first = await start();
      const { key } = (await (await exchange(first.address)).json()) as { key: string };
      const shown = await narratoria(["token", "--data", playground.data]);
      expect(shown).toEqual({ exitCode: 0, stdout: `${first.token}\n`, stderr: "" });
      const refused = await narratoria(["token", "--rotate", "--data", playground.data]);
      expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("end it first")]);
      await first.end("SIGTERM");

      const second = await start();
      expect([second.token, await statusFor(second, key)]).toEqual([first.token, 200]);
      await second.end("SIGTERM");
      const rotated = await narratoria(["token", "--rotate", "--data", playground.data]);
      const third = await start();
      expect([third.token, third.token === first.token]).toEqual([rotated.stdout.trim(), false]);
      expect([await statusFor(third, key), await statusFor(third, first.token)]).toEqual([401, 401]);
    },
  );

  test("keys are kept hashed, for the owner only", async () => {
    const serving = await start();
    const { key } = (await (await exchange(serving.address)).json()) as { key: string };
    const file = join(playground.data, "sign-ins.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const name of readdirSync(playground.data).filter((each) => !each.startsWith("assets"))) {
      expect([name, readFileSync(join(playground.data, name)).includes(key)]).toEqual([name, false]);
    }
  });
});

describe("`narratoria sign-in`", () => {
  test("prints another address while the app runs, and says so when it does not", async () => {
    const serving = await start(["--token", "given"]);
    const printed = await narratoria(["sign-in", "--data", playground.data]);
    expect([printed.exitCode, printed.stderr, new URL(printed.stdout).origin]).toEqual([0, "", serving.url]);
    expect((await exchange(printed.stdout)).status).toBe(201);
    await serving.end("SIGKILL");
    const none = await narratoria(["sign-in", "--data", playground.data]);
    expect(none).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `narratoria: no Narratoria is serving ${playground.data}; narratoria serve begins it\n`,
    });
  });
});

describe("[Z1.1] beyond this machine", () => {
  test.each(["secret", "12345678901234567890", "a".repeat(64), "abcdefabcdefabcdefabcdef"])(
    "%s is too weak a token",
    async (token) => {
      const args = ["serve", "--host", "0.0.0.0", "--port", "0", "--data", playground.data];
      for (const given of [["--token", token], []]) {
        const env = given.length === 0 ? { NARRATORIA_TOKEN: token } : {};
        const run = await narratoria([...args, ...given], { env });
        expect([run.exitCode, run.stdout]).toEqual([2, ""]);
        expect(run.stderr).toMatch(/^narratoria: on 0\.0\.0\.0 others can try tokens .*\n$/);
        expect(run.stderr).not.toContain(token);
      }
    },
  );

  test("a strong one is taken, and what it means is said", async () => {
    const serving = await start(["--host", "0.0.0.0", "--token", STRONG]);
    expect(serving.stderr()).toMatch(/Whoever signs in plays as you.*\n.*Nothing on the way is encrypted/);
    expect(await statusFor(serving, STRONG)).toBe(200);
  });
});

async function start(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Serving> {
  const serving = await serve(["--port", "0", "--data", playground.data, "--story", playground.story, ...args], env);
  running.push(serving);
  return serving;
}

/** As the page does. */
function exchange(address: string): Promise<Response> {
  const { origin, searchParams } = new URL(address);
  const headers = { origin, "content-type": "application/json" };
  const body = JSON.stringify({ code: searchParams.get("code") });
  return fetch(`${origin}/api/sign-in`, { method: "POST", headers, body });
}

async function statusFor({ url }: Serving, bearer: string): Promise<number> {
  return (await fetch(`${url}/api/sessions`, { headers: { authorization: `Bearer ${bearer}` } })).status;
}
