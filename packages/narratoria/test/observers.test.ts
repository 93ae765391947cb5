/** Observers that are modules hear of their sessions from the first event to the last, whoever stops the host and how. */
import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { openSessions, openSessionsReadOnly, type Host } from "../src/create-narratoria.ts";
import type { SessionService } from "../src/runtime/seams/session-service.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { narratoria } from "./narratoria-command.ts";
import { eventsNamed, ok } from "./scripted-host.ts";
import { serve } from "./serve-process.ts";

const WATCHER = fileURLToPath(new URL("./fixtures/modules/watcher.mjs", import.meta.url));
const PATTERNS = ["*", "turn:*", "turn:end", "session:start"];
const PATIENTLY = { timeout: 25_000, interval: 100 };
const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

test.each(["number", "linger"])(
  "[K1.4] one mount with several patterns hears each event once, in the log's order, from the first to the last: %s",
  async (behaviour) => {
    const { story, data, heard } = makeStory(behaviour);
    const host = await open(story, data);
    const { sessionId } = ok(await host.create({}));
    await host.idle(sessionId);
    await play(host, sessionId, "wait");
    await play(host, sessionId, "light");
    ok(await host.rename(sessionId, "Another name"));
    // Nearly all: a busy machine must not decide this.
    await expect.poll(heard, PATIENTLY).toContainEqual(expect.stringContaining("session:title"));
    ok(await host.end(sessionId, "done"));
    await host.close();
    const events = await eventsIn(data, sessionId);
    expect(heard()).toEqual(withoutDeliveries(events).map(({ seq, event }) => `${seq} ${event}`));
    expect(heard()[0]).toBe("1 session:start");
    expect(heard().at(-1)).toContain("session:end");
    const told = deliveries(events);
    expect(told.reduce((sum, { data: { events: count } }) => sum + (count ?? 0), 0)).toBe(heard().length);
    // Many tellings are one event: one for each would double the log.
    expect(told.length).toBeLessThan(heard().length / 2);
    expect(told).toMatchObject(told.map(() => ({ module: "scribe", status: "ok", data: { failed: 0, missed: 0 } })));
  },
);

test("[K1.4] it hears of a fork, and of a session that another host began", async () => {
  const { story, data, heard } = makeStory("number");
  const before = await open(story, data);
  const { sessionId } = ok(await before.create({}));
  await before.idle(sessionId);
  await expect.poll(heard, PATIENTLY).toContainEqual(expect.stringContaining("turn:end"));
  const turnId = ok(await before.view(sessionId)).headTurnId ?? "";
  const { sessionId: fork } = ok(await before.fork(sessionId, turnId));
  await before.close();
  const [forked] = eventsNamed(await eventsIn(data, fork), "session:fork");
  expect(heard().at(-1)).toBe(`${forked?.seq} session:fork`);

  const after = await open(story, data);
  ok(await after.end(sessionId, "over"));
  await after.close();
  expect(heard().filter((line) => line.includes("session:end"))).toHaveLength(1);
});

test("[K1.4] a gate with several patterns that match is asked once", async () => {
  const { story, data } = makeStory("modify", { gate: true, events: ["turn:start", "turn:*", "*"] });
  const host = await open(story, data);
  const { sessionId } = ok(await host.create({}));
  await host.idle(sessionId);
  await play(host, sessionId, "wait");
  const asked = eventsNamed(await eventsOf(host, sessionId), "module:invoke").map(({ data: { event } }) => event);
  expect(asked.filter((event) => event === "turn:start")).toHaveLength(1);
});

describe("when the host ends", () => {
  test("[K1.4] a turn that is interrupted by it is still heard of", async () => {
    const { story, data, heard } = makeStory("number");
    const host = await open(story, data);
    const { sessionId } = ok(await host.create({}));
    await host.idle(sessionId);
    ok(await host.prompt(sessionId, "sleep"));
    await expect.poll(heard, PATIENTLY).toContainEqual(expect.stringContaining("tool:start"));
    await host.close();
    expect(heard().at(-1)).toContain("turn:interrupt");
  });

  test("[K1.4] one that never answers does not keep it, and the log says what it missed", async () => {
    const { story, data } = makeStory("hang");
    const host = await open(story, data);
    const { sessionId } = ok(await host.create({}));
    await host.idle(sessionId);
    await play(host, sessionId, "wait");
    await host.close();
    const told = deliveries(await eventsIn(data, sessionId));
    expect(told).not.toEqual([]);
    expect(told.reduce((sum, { data: { missed } }) => sum + (missed ?? 0), 0)).toBeGreaterThan(0);
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set(["error"]));
  });

  test("[K1.4] `play` lets it hear the end", async () => {
    const { story, data, heard } = makeStory("linger", { events: ["turn:end", "turn:*"] });
    const script = join(story, "script.txt");
    writeFileSync(script, "wait\nlight\n");
    const args = [
      "play",
      "--story",
      story,
      "--data",
      data,
      "--script",
      script,
      "--allow-unconfined",
      "--no-sandbox",
      "--json",
    ];
    const { exitCode, stdout } = await narratoria(args);
    expect(exitCode).toBe(0);
    const events = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as NarratoriaEvent]));
    expect(heard()).toEqual(turnsOf(events));
  });

  test("[K1.4] `serve` lets it hear the end", async () => {
    const { story, data, heard } = makeStory("linger", { events: ["turn:end", "turn:*"] });
    const server = await serve(["--story", story, "--data", data, "--port", "0", "--no-sandbox"]);
    const { body } = await server.api("POST", "/api/sessions", {});
    const { sessionId } = body as { sessionId: string };
    await server.until(sessionId, (view) => view.turns.at(-1)?.status === "completed");
    await server.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "light" });
    await server.until(sessionId, (view) => view.turns.length === 2 && view.turns.at(-1)?.status === "completed");
    await server.end("SIGTERM");
    expect(heard()).toEqual(turnsOf(await eventsIn(data, sessionId)));
  });
});

function turnsOf(events: readonly NarratoriaEvent[]): string[] {
  return events.filter(({ event }) => event.startsWith("turn:")).map(({ seq, event }) => `${seq} ${event}`);
}

interface Watched {
  story: string;
  data: string;
  heard(): string[];
}

function makeStory(behaviour: string, more: JsonObject = {}): Watched {
  const data = makeStoryFolder({});
  const notebook = join(data, "..", `notebook-${data.split("/").at(-1)}.txt`);
  const transport = { type: "stdio", command: ["node", "watcher.mjs", "scribe", behaviour, notebook] };
  const scribe = { name: "scribe", kind: "hook", protocol: "amplifier/1", transport, capabilities: [] };
  const tool = (name: string): JsonObject => ({ narrative: "", tools: [{ toolId: name, toolPath: `tools/${name}` }] });
  const plans = [
    { match: "wait", narrative: "You wait." },
    { match: "light", plan: tool("light"), narrative: "It burns." },
    { match: "sleep", plan: tool("sleep") },
  ];
  const patches = Array.from({ length: 10 }, (_, n) =>
    JSON.stringify({ version: "0", type: "state_patch", patch: { n } }),
  );
  const done = JSON.stringify({ version: "0", type: "done", ok: true });
  const story = makeStoryFolder({
    "plans.json": JSON.stringify(plans),
    "story.json": JSON.stringify({ mounts: [{ ...scribe, events: PATTERNS, ...more }] }),
    "tools/light": `#!/bin/sh\ncat <<'END'\n${[...patches, done].join("\n")}\nEND\n`,
    "tools/sleep": "#!/bin/sh\nexec sleep 60\n",
  });
  copyFileSync(WATCHER, join(story, "watcher.mjs"));
  for (const name of ["light", "sleep"]) chmodSync(join(story, "tools", name), 0o755);
  const heard = (): string[] => (existsSync(notebook) ? readFileSync(notebook, "utf8").trim().split("\n") : []);
  return { story, data, heard };
}

async function open(storyDir: string, dataDir: string): Promise<Host> {
  const host = await openSessions({ storyDir, dataDir, sandbox: "none", allowUnconfined: true });
  hosts.push(host);
  return host;
}

async function play(host: Host, sessionId: string, prompt: string): Promise<void> {
  const { turnId } = ok(await host.prompt(sessionId, prompt));
  expect(await host.turnEnded(sessionId, turnId)).toBe("completed");
}

async function eventsIn(dataDir: string, sessionId: string): Promise<NarratoriaEvent[]> {
  const sessions = await openSessionsReadOnly(dataDir);
  const events = await eventsOf(sessions, sessionId);
  await sessions.close();
  return events;
}

async function eventsOf(sessions: SessionService, sessionId: string): Promise<NarratoriaEvent[]> {
  const { seq } = ok(await sessions.view(sessionId));
  const events: NarratoriaEvent[] = [];
  await new Promise<void>((heard) => {
    void sessions.follow(
      sessionId,
      0,
      { take: (streamed) => (events.push(streamed.event()), streamed.seq === seq && heard(), true), closed: heard },
      "runs",
    );
  });
  return events;
}

function deliveries(events: readonly NarratoriaEvent[]): ReturnType<typeof eventsNamed<"module:invoke">> {
  return eventsNamed(events, "module:invoke").filter(({ data: { op } }) => op === "on_event");
}

function withoutDeliveries(events: readonly NarratoriaEvent[]): NarratoriaEvent[] {
  const told = new Set<NarratoriaEvent>(deliveries(events));
  return events.filter((event) => !told.has(event));
}
