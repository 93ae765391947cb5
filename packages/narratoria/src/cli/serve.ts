/** `narratoria serve`: the app in the browser, until someone ends it. `server/` answers; this puts it together. */
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSignInFile, DATA_FILES, dataFolder } from "../data.ts";
import type { Narratoria } from "../index.ts";
import {
  createApp,
  createSignIns,
  type RunningServer,
  type ServerStart,
  startServer,
  webFolder,
} from "../server/index.ts";
import { isLoopback, keptToken, objectToToken } from "./access-token.ts";
import { BAD_USAGE, complain, FAILURE, remark, say } from "./say.ts";
import { warnOfLevel } from "./warn-of-level.ts";
import { objectToStory } from "./named-story.ts";
import { openBrowser } from "./open-browser.ts";
import { openOrComplain, storiesWith } from "./open-or-complain.ts";
import { readPolicy } from "./read-policy.ts";
import { noteRunningHost } from "./running-host.ts";
import { addressWith } from "./sign-in.ts";
import { onEndingSignal } from "./signals.ts";

export interface ServeOptions {
  port?: string;
  host: string;
  token?: string;
  story?: string;
  allowStoryFolder?: boolean;
  data?: string;
  policy?: string;
  sandbox: boolean;
  allowUnconfined?: boolean;
  slots?: string;
  open?: boolean;
}

const DEFAULT_PORT = 4700;
const PORTS_TO_TRY = 20;
const CLOSING_MS = 8_000;
const BEYOND_THIS_MACHINE =
  "This is open to other machines. Whoever signs in plays as you: reads every story, runs its tools, grants them more.\n" +
  "Nothing on the way is encrypted, the keys of browsers neither: use it in a network you trust, or through a tunnel.";

export async function serveCommand(options: ServeOptions): Promise<number> {
  const wantedPort = options.port ?? (process.env["NARRATORIA_PORT"] || undefined);
  const port = wantedPort === undefined ? DEFAULT_PORT : Number(wantedPort);
  if (wantedPort?.trim() === "" || !Number.isInteger(port) || port < 0 || port > 65_535)
    return complain(`"${wantedPort}" is no port: a number up to 65535 is`, BAD_USAGE);
  const slots = options.slots === undefined ? undefined : Number(options.slots);
  if (slots !== undefined && !(Number.isInteger(slots) && slots > 0)) {
    return complain(`--slots ${options.slots}: a whole number from 1 on is meant`, BAD_USAGE);
  }
  const givenToken = options.token ?? process.env["NARRATORIA_TOKEN"];
  // The list of processes shows everybody what a command was started with.
  if (options.token !== undefined) process.title = "narratoria serve";
  const objection = givenToken === undefined ? null : objectToToken(givenToken, options.host);
  if (objection !== null) return complain(objection, BAD_USAGE);
  const noStory = objectToStory(options.story);
  if (noStory !== null) return complain(noStory, BAD_USAGE);
  const policy = await readPolicy(options.policy);
  if (policy.kind === "wrong") return complain(policy.message, BAD_USAGE);

  const { host } = options;
  const obstacle = await findObstacle(host, port);
  if (obstacle !== null && !(obstacle === "EADDRINUSE" && wantedPort === undefined)) {
    return complain(wordsForObstacle(obstacle, host, port));
  }
  const stopped = waitForSignal();
  const dataDir = dataFolder(options.data);
  const webDir = webFolder();
  // Awaited below; a failure meanwhile is told there.
  webDir.catch(() => {});
  const narratoria = await openOrComplain({
    dataDir,
    ...storiesWith(options.story),
    allowStoryFolder: options.allowStoryFolder,
    policy: policy.policy,
    sandbox: options.sandbox ? "best" : "none",
    allowUnconfined: options.allowUnconfined,
    slots,
    mayAsk: true,
    tell: (sentence) => remark(`narratoria: ${sentence}`),
  });
  if (narratoria === null) return FAILURE;
  const { sessions, tools, sandboxLevel } = narratoria;
  const token = givenToken ?? keptToken(dataDir);
  const signIns = createSignIns({ token, keeper: createSignInFile(join(dataDir, DATA_FILES.signIns)) });
  const { connections, readers: mostReaders } = narratoria.shares;
  const app = createApp({ sessions, tools, token, signIns, host, mostReaders, webDir: await webDir });
  const server = await listen(
    (next) => startServer(app, host, next, connections),
    host,
    port,
    wantedPort === undefined,
  );
  if (server !== null) {
    const origin = `http://${visibleHost(host)}:${server.port}`;
    const removeNote = noteRunningHost(dataDir, { origin, key: signIns.ownKey });
    warnOfLevel(sandboxLevel);
    if (!isLoopback(host)) remark(BEYOND_THIS_MACHINE);
    say(`Narratoria is at ${addressWith(origin, signIns.newCode().text)}`);
    const noBrowser = (): void => remark("No browser could be started here: open that address in one yourself.");
    const removePage = options.open
      ? openBrowser(addressWith(origin, signIns.newCode().text), dataDir, noBrowser)
      : null;
    await stopped;
    removePage?.();
    removeNote();
  }
  await shutDown(server, narratoria);
  return server === null ? FAILURE : 0;
}

/** The first signal ends everything in order; a second one, at once. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isEnding = false;
    const end = (): void => {
      if (isEnding) process.exit(130);
      isEnding = true;
      resolve();
    };
    onEndingSignal(end);
  });
}

/** Running turns end as interrupted, then those who follow a session are told, then the connections close. */
async function shutDown(server: RunningServer | null, narratoria: Narratoria): Promise<void> {
  server?.stopAccepting();
  await Promise.race([narratoria.close(), sleep(CLOSING_MS, undefined, { ref: false })]);
  await server?.close();
  // What should have ended by now but has not must not keep the process alive.
  setTimeout(() => process.exit(), 1_000).unref();
}

/** A port nobody asked for by name may be another one when it is taken. */
async function listen(
  start: (port: number) => Promise<ServerStart>,
  host: string,
  port: number,
  mayMove: boolean,
): Promise<RunningServer | null> {
  for (let next = port; ; next++) {
    const started = await start(next);
    if (!("kind" in started)) {
      if (next !== port) remark(`Port ${port} is taken, so this is port ${next}.`);
      return started;
    }
    if (started.code === "EADDRINUSE" && mayMove && next < port + PORTS_TO_TRY) continue;
    complain(wordsForObstacle(started.code, host, port));
    return null;
  }
}

/** Asked before anything is made: a start that cannot be leaves nothing behind. Null, or the system's name for it. */
function findObstacle(host: string, port: number): Promise<string | null> {
  const trial = createServer();
  return new Promise((resolve) => {
    trial.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    trial.listen(port, host, () => trial.close(() => resolve(null)));
  });
}

function wordsForObstacle(code: string, host: string, port: number): string {
  if (code === "EADDRINUSE") return `port ${port} is taken; --port 0 picks a free one`;
  if (code === "EACCES") return `this user may not listen on port ${port}; choose one from 1024 on with --port`;
  if (["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL"].includes(code)) {
    return `${host} is no address of this machine; --host 127.0.0.1 is, and --host 0.0.0.0 means all of them`;
  }
  return `nobody can listen on port ${port} of ${host} (${code}); choose others with --port and --host`;
}

/** An address that leads here from this machine. */
function visibleHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
