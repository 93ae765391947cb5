/**
 * `npm run torture`: torments a host at random (kills, file calls that fail, a full disk, no descriptors, while tools flood
 * it and readers read nothing), and after each round looks whether anything accepted is lost, doubled or damaged, and
 * whether anything still runs. The same seed makes the same choices; `torture-host.ts` is the host.
 *
 *     npm run torture -- [--rounds N] [--seed N]
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createAncestry } from "../packages/narratoria/src/runtime/turns/ancestry.ts";
import { examineStore, isDamaged } from "../packages/narratoria/src/stores/examine-store.ts";
import { openSqliteStore } from "../packages/narratoria/src/stores/sqlite.ts";
import { eventSchema, type NarratoriaEvent } from "../packages/narratoria/src/story/event.ts";
import { DONE, makeStory, type MadeStory } from "../packages/narratoria/test/made-story.ts";
import { processesWorkingIn } from "../packages/narratoria/test/processes.ts";

const FAULTS = {
  "killed while it plays": "kill",
  "killed while it starts": "kill early",
  "file calls that fail, then killed": "calls",
  "a full disk (needs root)": "full",
  "no descriptors for a while, then killed": "descriptors",
  "told to end": "end",
} as const;
type Fault = (typeof FAULTS)[keyof typeof FAULTS];

const isRoot = process.getuid?.() === 0;
const DISK = "96m";
/** One in so many calls. */
const FAILING_CALLS = 60;
const PATIENCE_MS = 15_000;

/** What was kept when it was last looked at, by session and number. */
type Kept = Map<string, Map<number, string>>;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "200" }, seed: { type: "string" } } });
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
  const random = createRandom(seed);
  using story = makeTorturedStory();
  const data = join(story.path, "../data");
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK},mode=0700`, "tmpfs", data]);
  const counts: Record<string, number> = {};
  let kept: Kept = new Map();
  let told = 0;
  try {
    for (let round = 1; round <= Number(values.rounds); round++) {
      const names = Object.entries(FAULTS).filter(([, fault]) => isRoot || fault !== "full");
      const [name, fault] = names[Math.floor(random() * names.length)] as [string, Fault];
      counts[name] = (counts[name] ?? 0) + 1;
      const host = startHost(story, data, random() < 0.5 ? "best" : "none", fault, Math.floor(random() * 1e6));
      const wrong = await torment(host, fault, data, random);
      const after = readKept(data);
      told += host.told.length;
      wrong.push(...findLoss(host.told, kept, after), ...findDoubles(after));
      const findings = await examineStore(data);
      if (isDamaged(findings)) wrong.push(`the doctor says: ${JSON.stringify(findings)}`);
      wrong.push(...(await leftRunning(story)));
      if (wrong.length > 0) {
        console.log(`round ${round}, ${name} (--seed ${seed} --rounds ${round}):\n  ${wrong.join("\n  ")}`);
        return 1;
      }
      kept = after;
      if (round % 20 === 0) console.log(`${round} rounds, ${told} events told`);
    }
    const events = [...kept.values()].reduce((sum, session) => sum + session.size, 0);
    for (const [name, count] of Object.entries(counts)) console.log(`${String(count).padStart(5)}  ${name}`);
    console.log(`seed ${seed}: ${values.rounds} rounds, ${events} events kept, ${told} told to readers;`);
    console.log("nothing lost, nothing doubled, nothing damaged, nothing left running");
    return 0;
  } finally {
    if (isRoot) execFileSync("umount", ["-l", data]);
  }
}

interface TorturedHost {
  child: ChildProcess;
  /** Session and number of every event that a reader was given. */
  told: string[];
  ready: Promise<unknown>;
  complaints(): string;
}

function startHost(story: MadeStory, data: string, sandbox: string, fault: Fault, seed: number): TorturedHost {
  const [faults, host] = ["torture-faults.ts", "torture-host.ts"].map((name) => join(import.meta.dirname, name));
  const env = { ...process.env, NARRATORIA_TORTURE: `${seed}:${fault === "calls" ? FAILING_CALLS : 0}` };
  const args = ["--import", faults ?? "", host ?? "", data, story.path, sandbox, String(seed % 100)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
  const told: string[] = [];
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ready = new Promise<void>((go) => {
    child.on("close", () => go());
    createInterface(child.stdout).on("line", (line) => {
      if (line === "ready") go();
      // The last line may be cut off by a kill.
      else if (/^\S{36} \d+$/.test(line)) told.push(line);
    });
  });
  return { child, told, ready, complaints: () => stderr };
}

/** What the host itself did wrong meanwhile. */
async function torment(host: TorturedHost, fault: Fault, data: string, random: () => number): Promise<string[]> {
  const { child } = host;
  const closed = once(child, "close");
  if (fault === "kill early") await sleep(random() * 1_500);
  else await host.ready;
  await sleep(random() * 700);
  const ballast = join(data, "ballast");
  if (fault === "full") {
    fill(ballast);
    await sleep(400);
    rmSync(ballast);
  }
  if (fault === "descriptors" && child.exitCode === null) {
    const open = readdirSync(`/proc/${child.pid}/fd`).length;
    allow(child, open + Math.floor(random() * 12));
    await sleep(400);
    allow(child, 4_096);
  }
  await sleep(random() * 300);
  const diedOfItself = child.exitCode !== null || child.signalCode !== null;
  child.kill(fault === "end" || fault === "full" ? "SIGTERM" : "SIGKILL");
  const ended = await Promise.race([closed, sleep(PATIENCE_MS, null, { ref: false })]);
  if (ended === null) child.kill("SIGKILL");
  await closed;
  if (diedOfItself) return [`the host ended by itself (${child.exitCode}): ${host.complaints()}`];
  return ended === null ? [`it did not end when it was told to: ${host.complaints()}`] : [];
}

/** Until there is no room for a byte. */
function fill(file: string): void {
  for (let size = 8 * 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: "a" });
    } catch {
      // Smaller pieces may still fit.
    }
  }
}

function allow(child: ChildProcess, descriptors: number): void {
  execFileSync("prlimit", ["--pid", String(child.pid), `--nofile=${descriptors}:`]);
}

function readKept(data: string): Kept {
  const kept: Kept = new Map();
  const file = join(data, "narratoria.db");
  // Killed before there was one.
  if (!existsSync(file)) return kept;
  const store = openSqliteStore(file, { readOnly: true });
  try {
    const ancestry = createAncestry(store);
    for (const { sessionId } of store.sessions()) {
      const events = new Map<number, string>();
      for (let at = 0, isLast = false; !isLast;) {
        const page = ancestry.stream(sessionId, at, 500, "each");
        for (const { seq, json } of page.events) events.set(seq, json);
        ({ next: at, isLast } = page);
      }
      kept.set(sessionId, events);
    }
  } finally {
    store.close();
  }
  return kept;
}

function findLoss(told: readonly string[], before: Kept, after: Kept): string[] {
  const lost = told.filter((line) => {
    const [sessionId = "", seq] = line.split(" ");
    return !after.get(sessionId)?.has(Number(seq));
  });
  const changed = [...before].flatMap(([sessionId, events]) =>
    [...events].filter(([seq, json]) => after.get(sessionId)?.get(seq) !== json).map(([seq]) => `${sessionId} ${seq}`),
  );
  return [
    ...(lost.length > 0 ? [`told, and not kept: ${lost.join(", ")}`] : []),
    ...(changed.length > 0 ? [`kept, and something else now: ${changed.join(", ")}`] : []),
  ];
}

/** A turn that ended twice, or a tool that was started after it had completed. */
function findDoubles(kept: Kept): string[] {
  const wrong: string[] = [];
  for (const events of kept.values()) {
    const over = new Set<string>();
    for (const json of events.values()) {
      if (!/"event":"(?:turn:end|tool:start|tool:end)"/.test(json)) continue;
      const event: NarratoriaEvent = eventSchema.parse(JSON.parse(json));
      const what = nameOf(event);
      if (over.has(what)) wrong.push(`${event.event} after its end: ${what}`);
      if (event.event === "turn:end" || (event.event === "tool:end" && event.status === "completed")) over.add(what);
    }
  }
  return wrong;
}

function nameOf(event: NarratoriaEvent): string {
  if (event.event === "tool:start" || event.event === "tool:end") return `${event.request_id} ${event.data.toolId}`;
  return `turn ${event.turn_id}`;
}

async function leftRunning(story: MadeStory): Promise<string[]> {
  const latest = performance.now() + PATIENCE_MS;
  while (processesWorkingIn(story.path).length > 0 && performance.now() < latest) await sleep(50);
  return processesWorkingIn(story.path).map((line) => `still running: ${line}`);
}

function makeTorturedStory(): MadeStory {
  const steps = ["first", "second", "third"];
  const say = (event: string): string => `echo '{"version":"0",${event}}'`;
  const step = (name: string): string =>
    `#!/bin/sh\n${say('"type":"log","level":"info","message":"begun"')}\nsleep 0.02\n` +
    `${say(`"type":"state_patch","patch":{"${name}":true}`)}\nsleep 0.02\n${DONE}\n`;
  const asset = '{"version":"0","type":"asset","assetId":"p","kind":"text","mediaType":"text/plain","path":"%s/p.txt"}';
  const tool = (toolId: string, dependencies: string[] = []): object => ({ toolId, toolPath: toolId, dependencies });
  const story = makeStory({
    "story.json": { title: "The Storm", narrator: "stub" },
    "plans.json": [
      { opening: true, narrative: "It begins." },
      {
        match: "work",
        plan: { tools: steps.map((name, at) => tool(name, steps.slice(Math.max(0, at - 1), at))) },
        narrative: ".",
      },
      { match: "paint", plan: { tools: [tool("paint")] }, narrative: "." },
      { match: "flood", plan: { tools: [tool("flood")] }, narrative: "." },
    ],
    ...Object.fromEntries(steps.map((name) => [`tools/${name}`, step(name)])),
    "tools/paint": `#!/bin/sh\nhead -c 30000 /dev/urandom | base64 > "$NARRATORIA_ASSET_DIR/p.txt"\nprintf '${asset}\\n' "$NARRATORIA_ASSET_DIR"\n${DONE}\n`,
    "tools/flood": `#!/bin/sh\nn=0\nwhile [ $n -lt 300 ]; do ${say('"type":"state_patch","patch":{"n":\'$n\'}')}; n=$((n+1)); done\n${DONE}\n`,
  });
  // The sandbox's user works there as well.
  chmodSync(join(story.path, ".."), 0o755);
  return story;
}

/** A small generator that repeats itself for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
