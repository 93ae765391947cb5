/** A real host that runs out of descriptors, and one that may have few: it lives, says so in words, and goes on after. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { shareDescriptors } from "../src/runtime/seams/descriptors.ts";
import type { SessionView } from "../src/story/session-view.ts";
import { DONE, makeStory, type MadeStory } from "./made-story.ts";
import { serve, type Serving } from "./serve-process.ts";
import { LEVELS, environmentOfLevel } from "./served-level.ts";

const MODULES = fileURLToPath(new URL("./fixtures/modules/", import.meta.url));
const SOURCES = resolve(import.meta.dirname, "../src");
const KINDS = ["program", "python", "mirror"];

/** A tool of each protocol, and two that wait. */
function makeMixedStory(): MadeStory {
  const mount = (name: string, more: object): object => ({ name, kind: "tool", capabilities: [], ...more });
  const [program, python, mirror] = KINDS as [string, string, string];
  const plans = [...KINDS, "wait"].map((name) => {
    const tool = { toolId: name, toolPath: name, operation: "echo", retryPolicy: { maxRetries: 0, backoffMs: 0 } };
    return { match: name, plan: { tools: [tool] }, narrative: `You ${name}.` };
  });
  const mounts = [
    mount(program, { protocol: "narratoria/0", transport: { type: "stdio", command: ["./program.sh"] } }),
    mount("wait", { protocol: "narratoria/0", transport: { type: "stdio", command: ["./wait.sh"] } }),
    mount(python, { protocol: "namel3ss/1", entry: "python:shout", transport: { type: "stdio" } }),
    mount(mirror, { protocol: "amplifier/1", transport: { type: "stdio", command: ["node", "mirror-stdio.mjs"] } }),
  ];
  const story = makeStory({
    "story.json": { title: "The Narrow Door", narrator: "stub", mounts },
    "plans.json": [{ opening: true, narrative: "A door." }, ...plans],
    "program.sh": `#!/bin/sh\n${DONE}\n`,
    "wait.sh": `#!/bin/sh\nsleep 0.5\n${DONE}\n`,
    "python.py": "def shout(payload):\n    return {}\n",
  });
  for (const file of ["mirror.mjs", "mirror-stdio.mjs"]) copyFileSync(join(MODULES, file), join(story.path, file));
  return story;
}

/** A Node that may have so many, and has none from whoever started it: those may have numbers beyond what it may have. */
function nodeWith(story: MadeStory, most: string): string {
  const close = 'for fd in /proc/self/fd/*; do fd=${fd##*/}; if [ $fd -gt 2 ]; then eval "exec $fd>&-"; fi; done';
  return story.write(
    "../node",
    `#!/bin/bash\n${close}\nexec /usr/bin/prlimit --nofile=${most} -- '${process.execPath}' "$@"\n`,
  );
}

async function begin(server: Serving): Promise<string> {
  const { body } = await server.api("POST", "/api/sessions", {});
  const { sessionId } = body as SessionView;
  await server.until(sessionId, ({ turns }) => turns.at(-1)?.status === "completed");
  return sessionId;
}

/** Everything that a player and a reader of the log are told of it. */
async function play(server: Serving, sessionId: string, text: string): Promise<string> {
  const { status, body } = await server.api("POST", `/api/sessions/${sessionId}/prompts`, { text });
  if (status !== 202) return JSON.stringify(body);
  const view = await server.until(sessionId, ({ turns }) => turns.at(-1)?.status !== "running");
  const { notice, tools } = view.turns.at(-1) as SessionView["turns"][number];
  return `${notice ?? ""} ${tools.map(({ status: became, error }) => error?.message ?? became).join()}`.trim();
}

function allow(server: Serving, descriptors: number): void {
  execFileSync("prlimit", ["--pid", String(server.pid), `--nofile=${descriptors}:`]);
}

const openIn = (server: Serving): number => readdirSync(`/proc/${server.pid}/fd`).length;

describe.for(LEVELS)("[Z1.7] at level %s", (level) => {
  test("a host without a descriptor to spare fails its tools in words, lives, and plays on when it has some", async () => {
    using story = makeMixedStory();
    const data = join(story.path, "../data");
    const { args, env } = environmentOfLevel(level, join(story.path, "../bin"));
    const node = nodeWith(story, "4096");
    const server = await serve(["--port", "0", "--data", data, "--story", story.path, ...args], env, node);
    try {
      const said: string[] = [];
      for (const toSpare of [10, 4, 3, 2, 1, 2, 1]) {
        const session = await begin(server);
        // Those that run stories have to be started anew as well.
        for (const pid of storyProcessesOf(server.pid)) process.kill(pid, "SIGKILL");
        allow(server, openIn(server) + toSpare);
        for (const kind of KINDS) said.push(await play(server, session, kind));
        allow(server, 4_096);
      }
      expect(said.filter((words) => /went wrong|EMFILE/.test(words))).toEqual([]);
      expect(said).toContainEqual(expect.stringMatching(/as many files and connections open as it may/));
      const after = await begin(server);
      for (const kind of KINDS) expect(await play(server, after, kind)).toBe("completed");
      expect(await server.end("SIGTERM")).toBe(0);
      expect(server.stderr()).not.toMatch(/failed:|Error/);
    } finally {
      await server.end("SIGKILL");
    }
  }, 90_000);
});

function storyProcessesOf(host: number): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => textOf(`/proc/${pid}/stat`).includes(`) S ${host} `))
    .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes("story-process."));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

test("[Z1.7] a host that may have few descriptors refuses readers in words, then connections, and goes on running tools", async () => {
  using story = makeMixedStory();
  const few = 176;
  const { connections, readers } = shareDescriptors(8, few);
  const node = nodeWith(story, String(few));
  const data = join(story.path, "../data");
  const server = await serve(["--port", "0", "--data", data, "--story", story.path, "--slots", "8"], {}, node);
  const sockets: Socket[] = [];
  try {
    const sessions: string[] = [];
    for (let count = 0; count < 6; count++) sessions.push(await begin(server));
    const answers: string[] = [];
    for (let count = 0; count < few * 2; count++) {
      const { socket, answer } = await follow(server, sessions[0] ?? "");
      sockets.push(socket);
      answers.push(answer);
    }
    const followed = answers.filter((answer) => answer.startsWith("HTTP/1.1 200"));
    expect(followed).toHaveLength(readers);
    expect(answers.find((answer) => answer.includes("As many pages follow stories here"))).toMatch(/^HTTP\/1.1 503 /);
    // Whoever rests makes room; whoever has begun to ask does not.
    const asking = Array.from({ length: connections - readers + 4 }, () => beginToAsk(server));
    sockets.push(...asking);
    await Promise.all(asking.map((socket) => once(socket, "connect").catch(() => {})));
    const turnedAway = await eventually(async () => {
      const { socket, answer } = await follow(server, sessions[0] ?? "");
      sockets.push(socket);
      return answer.startsWith("HTTP/1.1 503 ") && answer.includes("More connections are open");
    });
    expect(turnedAway).toBe(true);
    // One of those that were refused has made room for whoever plays.
    for (const socket of sockets.slice(readers)) socket.destroy();

    const turns = sessions.map((sessionId) => play(server, sessionId, "wait"));
    expect(await Promise.all(turns)).toEqual(sessions.map(() => "completed"));
    for (const kind of KINDS) expect(await play(server, sessions[0] ?? "", kind)).toBe("completed");

    for (const socket of sockets) socket.destroy();
    const again = await eventually(async () => {
      const reader = await follow(server, sessions[0] ?? "");
      sockets.push(reader.socket);
      return reader.answer.startsWith("HTTP/1.1 200");
    });
    expect(again).toBe(true);
    expect(await server.end("SIGTERM")).toBe(0);
    expect(server.stderr()).not.toMatch(/failed:|Error/);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.end("SIGKILL");
  }
}, 90_000);

/** A question that never gets to its end. */
function beginToAsk(server: Serving): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname, () => socket.write("GET /api/health HTTP/1.1\r\n"));
  return socket.on("error", () => {});
}

/** What comes first on a connection of its own; empty when there is none. */
function follow(server: Serving, sessionId: string): Promise<{ socket: Socket; answer: string }> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const lines = [
    `GET /api/sessions/${sessionId}/events HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${server.token}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return new Promise((settle) => {
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer.includes("\n\n") || answer.includes("}}")) settle({ socket, answer });
    });
    socket.on("error", () => {}).on("close", () => settle({ socket, answer }));
  });
}

async function eventually(is: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (await is()) return true;
    await new Promise((go) => setTimeout(go, 20));
  }
  return false;
}

test("[Z1.7] a program that cannot be started is a value, whatever is in its way", () => {
  const script = `
    import { openSync } from "node:fs";
    import { startChild } from ${JSON.stringify(join(SOURCES, "runtime/seams/start-child.ts"))};
    const pipes = { stdio: ["pipe", "pipe", "pipe"] };
    const answers = [startChild("a\\0b", [], pipes), startChild("/nowhere", [], pipes)].map(({ kind }) => kind);
    try { for (;;) openSync("/dev/null"); } catch {}
    const last = startChild("/bin/true", [], pipes);
    setTimeout(() => process.stdout.write(JSON.stringify([...answers, last.kind, last.reason])), 100);
  `;
  const node = [process.execPath, "--input-type=module", "--eval", script];
  const { stdout, stderr } = spawnSync("prlimit", ["--nofile=64", "--", ...node], { encoding: "utf8" });
  expect(stderr).toBe("");
  const reason = expect.stringContaining("as many files and connections open as it may");
  expect(JSON.parse(stdout)).toEqual(["not_started", "started", "not_started", reason]);
});

test("[Z1.7] nothing but startChild starts a program, so none can end the host by not starting", () => {
  const starting = sourcesBelow(SOURCES).filter((file) => {
    return /import \{[^}]*\b(?:spawn|fork|exec)\b[^}]*\} from "node:child_process"/.test(readFileSync(file, "utf8"));
  });
  expect(starting).toEqual([join(SOURCES, "runtime/seams/start-child.ts")]);
});

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name));
}

test("[Z1.7] descriptors are shared out so that tools, resting processes and connections fit together", () => {
  for (const most of [100, 128, 256, 1_024, 4_096, 1_048_576]) {
    for (const wanted of [1, 8, 64, 1_000]) {
      const { slots, restingModules, restingServers, connections, readers } = shareDescriptors(wanted, most);
      const all = slots * 16 + (restingModules + restingServers) * 8 + connections;
      expect([most, wanted, all <= most, slots >= 1, readers < connections]).toEqual([most, wanted, true, true, true]);
    }
  }
  expect(shareDescriptors(8, Infinity)).toEqual({
    slots: 8,
    restingModules: 32,
    restingServers: 16,
    connections: Infinity,
    readers: Infinity,
  });
});
