/** A hostile tool against the full sandbox: it tries every way out by name, and gets nothing. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { createProcessRunner } from "../src/runners/process.ts";
import { createAssetFolder } from "../src/stores/asset-folder.ts";
import { DONE, makeStory } from "./made-story.ts";
import { processesMentioning } from "./processes.ts";
import { outcomeOf, runFixture, type FixtureOptions, type FixtureRun } from "./run-fixture.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const STORY = fileURLToPath(new URL("./fixtures/hostile", import.meta.url));
const COMMAND = fileURLToPath(new URL("../bin/narratoria.js", import.meta.url));
const SLEEPER = fileURLToPath(new URL("./run-sleeper.ts", import.meta.url));
const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
const mark = `narratoria-${randomBytes(6).toString("hex")}`;
const sandbox = await sandboxOfLevel("full");
const runner = createProcessRunner({ sandbox, terminateGraceMs: 300 });

/** What the host has and a tool must not get. */
let folder: string;
let host: JsonObject;
let victim: ChildProcess;
let datagrams = 0;
const connections: string[] = [];
const servers: Server[] = [];
let udp: DatagramSocket;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-host-"));
  chmodSync(folder, 0o755);
  // Everybody may read these: what hides them is the sandbox, not their mode.
  for (const name of ["readable", "other-story", "data", "neighbour", "store"])
    mkdirSync(join(folder, name), { mode: 0o755 });
  for (const name of ["readable", "other-story", "data", "neighbour"])
    writeFileSync(join(folder, name, "file"), "a secret of the host");
  victim = spawn("sh", ["-c", `sleep 600; : ${mark}`], { stdio: "ignore" });
  udp = createSocket("udp4").on("message", () => datagrams++);
  await new Promise<void>((bound) => udp.bind(0, "127.0.0.1", bound));
  process.env["HOST_SECRET_KEY"] = mark;
  host = {
    home: homedir(),
    onTheWay: [STORY, process.execPath],
    readableFile: join(folder, "readable", "file"),
    otherStory: join(folder, "other-story", "file"),
    dataFile: join(folder, "data", "file"),
    neighbour: join(folder, "neighbour", "file"),
    store: join(folder, "store"),
    gitFolder: join(REPOSITORY, ".git"),
    secret: mark,
    victim: victim.pid ?? 0,
    victimMark: mark,
    tcpPort: await listen("TCP", { port: 0, host: "127.0.0.1" }),
    udpPort: udp.address().port,
    abstractSocket: mark,
    socketFile: join(folder, "socket"),
  };
  await listen("abstract", { path: `\0${mark}` });
  await listen("socket file", { path: join(folder, "socket") });
});
afterAll(async () => {
  delete process.env["HOST_SECRET_KEY"];
  victim.kill("SIGKILL");
  udp.close();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
  await sandbox.close();
});

async function listen(name: string, where: object): Promise<number> {
  const server = createServer((socket) => {
    connections.push(name);
    socket.destroy();
  });
  servers.push(server.listen(where));
  await once(server, "listening");
  return (server.address() as AddressInfo).port ?? 0;
}

function hostile(tool: string, input: JsonObject, options: FixtureOptions = {}): Promise<FixtureRun> {
  const command = ["/usr/bin/python3", join(STORY, tool)];
  return runFixture(runner, tool, { command, storyDir: STORY, input, timeoutMs: 25_000, ...options });
}

describe("[Z1.3] a tool that tries to get out", () => {
  test("gets nothing by any of its ways", async () => {
    const before = readdirSync(STORY);
    const { events, report } = await hostile("escapes.py", host);
    expect(report.stderrTail).toBe("");
    expect(outcomeOf(report)).toBe("completed");
    const [found] = events;
    if (found?.type !== "state_patch") throw new Error("it did not tell what it tried");
    const attempts = Object.entries(found.patch["attempts"] as Record<string, string>);
    expect(attempts.filter(([, result]) => !result.startsWith("denied: "))).toEqual([]);
    expect(attempts.length).toBeGreaterThanOrEqual(60);

    expect(victim.exitCode ?? victim.signalCode).toBeNull();
    expect([connections, datagrams]).toEqual([[], 0]);
    expect(readdirSync(STORY)).toEqual(before);
    expect(readdirSync(join(folder, "store"))).toEqual([]);
    expect(readFileSync(join(folder, "data", "file"), "utf8")).toBe("a secret of the host");
  });

  test("its refusals are not its own mistakes: without the sandbox it gets what it asks for", async () => {
    const none = await sandboxOfLevel("none");
    const unconfined = createProcessRunner({ sandbox: none });
    const script = [
      "import json, os, socket, sys",
      'host = json.loads(sys.stdin.readline())["input"]',
      'for name in ("readableFile", "otherStory", "dataFile", "neighbour"): open(host[name]).read()',
      'os.listdir(host["home"]); os.stat(host["gitFolder"]); os.kill(host["victim"], 0)',
      'socket.create_connection(("127.0.0.1", host["tcpPort"]))',
      'socket.socket(socket.AF_UNIX).connect("\\0" + host["abstractSocket"])',
      'socket.socket(socket.AF_UNIX).connect(host["socketFile"])',
      'print(json.dumps({"version": "0", "type": "done", "ok": True}))',
    ].join("\n");
    const command = ["/usr/bin/python3", "-c", script];
    const { report } = await runFixture(unconfined, "reaches-the-host", { command, storyDir: STORY, input: host });
    await none.close?.();
    expect(report.stderrTail).toBe("");
    expect(outcomeOf(report)).toBe("completed");
    await expect.poll(() => connections.toSorted()).toEqual(["TCP", "abstract", "socket file"]);
    connections.length = 0;
  });

  test("what it writes beside its asset folder and to /tmp stays in its own /tmp", async () => {
    const script = `echo x > "$NARRATORIA_ASSET_DIR/../${mark}"; echo x > /tmp/${mark}; dirname "$NARRATORIA_ASSET_DIR" >&2
      echo '{"version":"0","type":"done","ok":true}'`;
    const seen: boolean[] = [];
    const { report } = await runFixture(runner, "writes-beside", {
      command: ["/bin/sh", "-c", script],
      storyDir: STORY,
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

  test("[T1.1] nothing of it outlives it: a daemon in a session of its own is gone", async () => {
    const daemon = `${mark}-daemon`;
    const script = `(setsid sh -c 'sleep 300; : ${daemon}' </dev/null >/dev/null 2>&1 &) ; sleep 0.2
      echo '{"version":"0","type":"done","ok":true}'; sleep 0.5`;
    let running = 0;
    const { report } = await runFixture(runner, "daemon", {
      command: ["/bin/sh", "-c", script],
      storyDir: STORY,
      sink: () => void (running = processesMentioning(daemon).length),
    });
    expect(outcomeOf(report)).toBe("completed");
    expect(running).toBeGreaterThan(0);
    expect(processesMentioning(daemon)).toEqual([]);
  });

  test("files that Narratoria itself was started with are not passed on", async () => {
    using story = makeStory({ "tools/reader": `#!/bin/sh\ncat /proc/self/fd/20 >&2\n${DONE}\n` });
    const tools = [{ toolId: "it", toolPath: "tools/reader" }];
    const plan = story.write("plan.json", { requestId: "p", narrative: "", tools });
    const inherited = openSync(join(folder, "data", "file"), "r");
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

describe("[T4.3] assets that lead elsewhere", () => {
  test("are refused one by one, and only the honest one is stored", async () => {
    const store = createAssetFolder(join(folder, "asset-store"));
    const results: Record<string, string> = {};
    const { report } = await hostile("strange-assets.py", host, {
      sink: async ({ event, asset }) => {
        if (event.type !== "asset" || asset === undefined) return undefined;
        const taken = await store.take(asset);
        results[event.assetId] = taken.kind === "stored" ? "stored" : taken.reason;
        return undefined;
      },
    });
    expect(outcomeOf(report), report.stderrTail).toBe("completed");
    expect(results).toEqual({
      honest: "stored",
      "symbolic-link": "it is a symbolic link",
      "linked-parent": "it lies outside the folders the tool may use",
      "linked-host-folder": "it lies outside the folders the tool may use",
      "linked-root": "it lies outside the folders the tool may use",
      "linked-device": "it is not a regular file",
      "hard-link": "it is a hard link to another file",
      fifo: "it is not a regular file",
      folder: "it is not a regular file",
      huge: "it is larger than 67108864 bytes",
      absolute: "it lies outside the folders the tool may use",
      "host-file": expect.stringMatching(/outside|no such file/),
      dots: "it lies outside the folders the tool may use",
      "dots-behind-the-asset-folder": "it lies outside the folders the tool may use",
      "proc-root": "it lies outside the folders the tool may use",
      "process-environment": "it lies outside the folders the tool may use",
      device: "it is not a regular file",
      "system-file": "it lies outside the folders the tool may use",
    });
  });
});
