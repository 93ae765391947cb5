/** What a host has and no tool must get or touch: files, a home, servers, processes. `run-attacks.ts` lets tools at it. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { dirname, join } from "node:path";
import type { JsonObject } from "@narratoria/tool/json";
import { PROGRAMS } from "./attacks.ts";

export interface House {
  /** The folder the attacks run in. */
  story: string;
  /** What of it they may not see. */
  hidden: string;
  /** Where everything is, so that a refusal is one and not a wrong guess. */
  known: JsonObject;
  /** What is not as it was. */
  damage(): string[];
  close(): void;
}

const SECRET = "a secret of the host";
const FILES = {
  readableFile: "readable/file",
  otherStory: "other-story/file",
  dataFile: "data/file",
  neighbour: "neighbour/file",
  hiddenFile: "story/my-data/file",
};

/** Everybody may read all of it: what hides it is the sandbox, not its mode. */
export async function makeHouse(root: string): Promise<House> {
  const [home, store, story, compileCache] = ["home", "store", "story", "home/.cache/narratoria/compiled"].map((name) =>
    makeFolder(root, name),
  ) as [string, string, string, string];
  const gitFolder = makeFolder(root, "clone/.git");
  for (const file of [...Object.values(FILES), "home/.bashrc", "home/.ssh/id", "clone/.git/config"])
    writeFileSync(join(makeFolder(root, dirname(file)), file.split("/").at(-1) ?? ""), SECRET);
  for (const program of ["attack.py", ...PROGRAMS]) cpSync(join(import.meta.dirname, program), join(story, program));
  process.env["HOME"] = home;

  const secret = (process.env["HOST_SECRET_KEY"] = randomUUID());
  const victim = spawn("sh", ["-c", `sleep 600; : ${secret}`], { stdio: "ignore" });
  const disturbances: string[] = [];
  process.on("SIGUSR2", () => disturbances.push("the host was signalled"));
  const udp = createSocket("udp4").on("message", () => disturbances.push("a datagram arrived"));
  await new Promise<void>((bound) => udp.bind(0, "127.0.0.1", bound));
  const heard = (what: string) => () => disturbances.push(`somebody connected to ${what}`);
  const tcp = await listen({ port: 0, host: "127.0.0.1" }, heard("a port"));
  const servers = [
    tcp,
    await listen({ path: `\0${secret}` }, heard("an abstract socket")),
    await listen({ path: join(root, "socket") }, heard("a socket file")),
  ];
  chmodSync(join(root, "socket"), 0o777);
  const before = contentOf(root);
  return {
    story,
    hidden: join(story, "my-data"),
    known: {
      ...Object.fromEntries(Object.entries(FILES).map(([name, file]) => [name, join(root, file)])),
      ...{ home, store, gitFolder, compileCache, secret, victimMark: secret, abstractSocket: secret },
      victim: victim.pid ?? 0,
      hostPid: process.pid,
      tcpPort: (tcp.address() as AddressInfo).port,
      udpPort: udp.address().port,
      socketFile: join(root, "socket"),
    },
    damage: () => {
      const after = contentOf(root);
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (key) => before.get(key) !== after.get(key),
      );
      const killed = victim.exitCode ?? victim.signalCode;
      return [...disturbances, ...changed, ...(killed === null ? [] : [`a process of the host ended: ${killed}`])];
    },
    close: () => {
      victim.kill("SIGKILL");
      udp.close();
      for (const server of servers) server.close();
    },
  };
}

function makeFolder(root: string, name: string): string {
  mkdirSync(join(root, name), { recursive: true, mode: 0o755 });
  return join(root, name);
}

async function listen(where: object, hear: () => void): Promise<Server> {
  const server = createServer((socket) => {
    hear();
    socket.destroy();
  }).listen(where);
  await once(server, "listening");
  return server;
}

/** All files of the house, but not what attacks were given and what is made while they run. */
function contentOf(root: string): Map<string, string> {
  const folders = ["home", "store", "story", "clone", ...Object.values(FILES).map(dirname)];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory()),
  );
  return new Map(
    files.map((entry) => [
      join(entry.parentPath, entry.name),
      readFileSync(join(entry.parentPath, entry.name), "utf8"),
    ]),
  );
}
