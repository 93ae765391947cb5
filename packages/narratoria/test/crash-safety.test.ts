/** Kills a real host at random moments and looks at what is left: nothing accepted is lost, nothing goes on running. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSessions } from "../src/create-narratoria.ts";
import { atOnce } from "../src/runtime/execution/slices.ts";
import { createAncestry } from "../src/runtime/turns/ancestry.ts";
import { loadView } from "../src/runtime/sessions/load-view.ts";
import type { SessionRow } from "../src/runtime/seams/store.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import type { SessionView } from "../src/story/session-view.ts";
import { processesWorkingIn } from "./processes.ts";
import { createScriptedHost, end, ok, patch, planOf, streamOf } from "./scripted-host.ts";

const HOST = fileURLToPath(new URL("./crash-host.ts", import.meta.url));
const KILLS = 25;

let root = "";
let story = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "narratoria-crash-"));
  chmodSync(root, 0o755);
  story = join(root, "story");
  mkdirSync(join(story, "tools"), { recursive: true });
  const steps = ["first", "second", "third"];
  const tools = steps.map((name, at) => ({
    toolId: name,
    toolPath: name,
    dependencies: at === 0 ? [] : [steps[at - 1]],
  }));
  writeFileSync(
    join(story, "plans.json"),
    JSON.stringify([
      { opening: true, narrative: "Go." },
      { match: "work", plan: { tools }, narrative: "Done." },
    ]),
  );
  for (const name of steps) writeTool(name, 0.03);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Logs, leaves a mark where it can, waits, sets something, waits again. */
function writeTool(name: string, seconds: number): void {
  const file = join(story, "tools", name);
  const say = (event: object): string => `echo '${JSON.stringify({ version: "0", ...event })}'`;
  const lines = [
    "#!/bin/sh",
    say({ type: "log", level: "info", message: "begun" }),
    `{ echo "${name} $NARRATORIA_REQUEST_ID" >> marks; } 2>/dev/null`,
    `sleep ${seconds}`,
    `echo "{\\"version\\":\\"0\\",\\"type\\":\\"state_patch\\",\\"patch\\":{\\"${name}\\":\\"$NARRATORIA_REQUEST_ID\\"}}"`,
    `sleep ${seconds}`,
    say({ type: "done", ok: true, summary: "done" }),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  chmodSync(file, 0o755);
}

const data = (): string => join(root, "data");

function startHost(sandbox: string, then: string): { child: ChildProcess; printed: number[]; ready: Promise<unknown> } {
  const child = spawn(process.execPath, [HOST, data(), story, sandbox, then], { stdio: ["ignore", "pipe", "inherit"] });
  const printed: number[] = [];
  const ready = new Promise<void>((go) => {
    createInterface(child.stdout as NodeJS.ReadableStream).on("line", (line) => {
      if (line === "ready") go();
      else printed.push(Number(line));
    });
  });
  return { child, printed, ready };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "close");
}

function readStore(): { events: NarratoriaEvent[]; view: SessionView } {
  const store = openSqliteStore(join(data(), "narratoria.db"), { readOnly: true });
  const session = store.sessions()[0] as SessionRow;
  const left = {
    events: streamOf(store, session.sessionId),
    view: atOnce(loadView(store, createAncestry(store), session)),
  };
  store.close();
  return left;
}

/** No tool that had finished has been started again. */
function startedAgain(events: readonly NarratoriaEvent[]): string[] {
  const finished = new Set<string>();
  const again: string[] = [];
  for (const event of events) {
    if (event.event !== "tool:start" && event.event !== "tool:end") continue;
    const tool = `${event.request_id} ${event.data.toolId}`;
    if (event.event === "tool:end" && event.status === "completed") finished.add(tool);
    if (event.event === "tool:start" && finished.has(tool)) again.push(tool);
  }
  return again;
}

async function untilNothingRuns(): Promise<string[]> {
  for (let tries = 0; tries < 100 && processesWorkingIn(story).length > 0; tries++) await sleep(20);
  return processesWorkingIn(story);
}

test(`[Z1.4] ${KILLS} kills at random moments lose nothing that was accepted`, async () => {
  let interruptions = 0;
  let before: { events: NarratoriaEvent[]; view: SessionView } | null = null;
  for (let round = 0; round < KILLS; round++) {
    const then = ["resume", "discard", "prompt"][round % 3] as string;
    const { child, printed, ready } = startHost(round % 5 === 4 ? "best" : "none", then);
    // Some die while they mend what the one before left, most while they play.
    if (round % 4 !== 3) await ready;
    await sleep(Math.random() * 260);
    await kill(child);
    if (printed.length === 0) continue;
    const left = readStore();
    const stored = new Set(left.events.map(({ seq }) => seq));
    expect(printed.filter((seq) => !stored.has(seq))).toEqual([]);
    if (before !== null) expect(left.events.slice(0, before.events.length)).toEqual(before.events);
    expect(startedAgain(left.events)).toEqual([]);
    const head = left.view.turns.at(-1);
    if (head?.status === "running") {
      interruptions++;
      const sessions = await openSessions({ dataDir: data(), storyDir: story, sandbox: "none", allowUnconfined: true });
      const view = ok(await sessions.view(left.view.sessionId));
      expect(view.turns.at(-1)?.status).toBe("interrupted");
      expect(view.state).toEqual(left.view.state);
      expect(view.turns.slice(0, -1)).toEqual(left.view.turns.slice(0, -1));
      expect(await untilNothingRuns()).toEqual([]);
      await sessions.close();
    }
    before = readStore();
  }
  expect(interruptions).toBeGreaterThan(KILLS / 4);
  const spans = new Set(before?.events.map(({ span_id }) => span_id));
  const marks = readFileSync(join(story, "marks"), "utf8").trim().split("\n");
  expect(marks.filter((mark) => !spans.has(mark.split(" ")[1] ?? ""))).toEqual([]);
}, 180_000);

describe("[Z1.4] a tool that runs when its host is killed", () => {
  test.each(["none", "best"])(
    "is ended, at the next start at the latest (sandbox: %s)",
    async (sandbox) => {
      writeTool("second", 600);
      const host = startHost(sandbox, "prompt");
      await host.ready;
      while (processesWorkingIn(story).every((line) => !line.includes("sleep 600"))) await sleep(20);
      await kill(host.child);
      writeTool("second", 0.01);
      const sessions = await openSessions({ dataDir: data(), storyDir: story, sandbox: "none", allowUnconfined: true });
      expect(await untilNothingRuns()).toEqual([]);

      const { sessionId } = (await sessions.list())[0] as { sessionId: string };
      const turn = ok(await sessions.view(sessionId)).turns.at(-1);
      expect(turn?.tools.map(({ status }) => status)).toEqual(["completed", "failed", "pending"]);
      ok(await sessions.resume(sessionId, turn?.turnId ?? ""));
      await sessions.idle(sessionId);
      const resumed = ok(await sessions.view(sessionId)).turns.at(-1);
      expect([resumed?.status, resumed?.tools.map(({ status }) => status)]).toEqual([
        "completed",
        ["completed", "completed", "completed"],
      ]);
      await sessions.close();
      expect(startedAgain(readStore().events)).toEqual([]);
    },
    60_000,
  );
});

test("[Z1.4] as root: a full disk ends the turn in words; the log stays valid, and play goes on when there is room", async (context) => {
  if (process.getuid?.() !== 0) return context.skip("making a small disk needs root");
  const disk = join(root, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]);
  try {
    const host = createScriptedHost({
      file: join(disk, "narratoria.db"),
      narrate: ({ prompt, plans }) =>
        prompt?.startsWith("fill") && plans.length === 0 ? planOf("lamp") : end(`You ${prompt}.`),
      tools: {
        lamp: () => ({ events: Array.from({ length: 64 }, (_, n) => patch({ [`k${n}`]: randomText(60_000) })) }),
      },
    });
    const session = await host.begin();
    await host.play(session, "wait");
    await host.play(session, "fill the hall");
    const full = ok(await host.sessions.view(session));
    expect(full.turns.at(-1)).toMatchObject({
      status: "failed",
      notice: expect.stringMatching(/no room left on the disk/),
    });
    const refused = await host.sessions.prompt(session, `fill ${randomText(60_000)}`);
    expect(refused).toMatchObject({ kind: "refused", message: expect.stringMatching(/no room left/) });
    streamOf(host.store, session);

    execFileSync("mount", ["-o", "remount,size=64m", disk]);
    await host.play(session, "go on");
    expect(ok(await host.sessions.view(session)).turns.map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "failed",
      "completed",
    ]);
    const state = ok(await host.sessions.view(session)).state;
    await host.sessions.close();
    const again = createScriptedHost({ file: join(disk, "narratoria.db"), narrate: () => end("x") });
    expect(ok(await again.sessions.view(session)).state).toEqual(state);
    expect(ok(await again.sessions.view(session)).turns.map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "failed",
      "completed",
    ]);
    await again.sessions.close();
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
});

function randomText(length: number): string {
  return Array.from({ length }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join("");
}
