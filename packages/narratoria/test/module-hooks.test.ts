/** Modules as hooks: a story's own observers and gates, in sessions with everything else real. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { openSessions, type Host } from "../src/create-narratoria.ts";
import type { Policy } from "../src/runtime/policy/policy.ts";
import { isRefusal } from "../src/runtime/seams/session-service.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import type { SessionView, TurnView } from "../src/story/session-view.ts";
import type { StreamedEvent } from "../src/runtime/seams/session-service.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { eventsNamed, ok } from "./scripted-host.ts";

const WATCHER = fileURLToPath(new URL("./fixtures/modules/watcher.mjs", import.meta.url));
const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

describe("an observer that is a module", () => {
  test("[A1.8] [K1.4] hears the events it asked for, and not of its own calls", async () => {
    const notebook = join(makeStoryFolder({}), "notebook.txt");
    const observer = hook("scribe", ["note", notebook], { events: ["turn:*", "module:invoke"] });
    const { host, sessionId } = await begin([observer]);
    await play(host, sessionId, "wait");
    const heard = (): string[] => (existsSync(notebook) ? readFileSync(notebook, "utf8").trim().split("\n") : []);
    await expect.poll(heard, { timeout: 5_000 }).toEqual(["turn:start", "turn:end", "turn:start", "turn:end"]);
  });

  test("[K1.4] [case 30] one that breaks or never answers changes nothing", async () => {
    for (const behaviour of ["break", "hang"]) {
      const { host, sessionId } = await begin([hook("scribe", [behaviour], { events: ["*"] })]);
      expect(await play(host, sessionId, "wait")).toMatchObject({
        status: "completed",
        passages: [{ text: "You wait." }],
      });
    }
  });
});

describe("a gate that is a module", () => {
  const gate = (behaviour: string, more: JsonObject = {}): JsonObject =>
    hook("keeper", [behaviour], { events: ["turn:start"], gate: true, ...more });

  test("[A1.8] [case 30] that denies stops the turn, and the player reads why", async () => {
    const { host, sessionId } = await begin([gate("deny")]);
    expect(await play(host, sessionId, "wait")).toMatchObject({ status: "cancelled", notice: "not today" });
    const asked = (await eventsOf(host, sessionId)).find(({ event }) => event === "module:invoke");
    expect(asked).toMatchObject({ module: "keeper", status: "ok", data: { op: "on_event", action: "deny" } });
  });

  test("[A1.8] [case 30] that modifies changes what happens", async () => {
    const { host, sessionId } = await begin([gate("modify")]);
    expect(await play(host, sessionId, "wait")).toMatchObject({ passages: [{ text: "You ring." }] });
  });

  test.each(["nonsense", "break", "hang"])(
    "[K1.4] [case 30] that gives no answer (%s) has denied",
    async (behaviour) => {
      const { host, sessionId } = await begin([gate(behaviour)]);
      expect(await play(host, sessionId, "wait")).toMatchObject({ status: "cancelled" });
    },
  );

  test("[K1.5] that was not granted what it needs is never started, and so has denied", async () => {
    const asking = gate("modify", { capabilities: ["net.fetch"] });
    const { host, sessionId } = await begin([asking]);
    const refused = await play(host, sessionId, "wait");
    expect(refused).toMatchObject({ status: "cancelled", notice: expect.stringContaining("needs net.fetch") });
    const denied = { module: "keeper", status: "deny", data: { capability: "net.fetch" } };
    expect(eventsNamed(await eventsOf(host, sessionId), "policy:decision")).toMatchObject([denied]);
    ok(await host.tools.grant({ name: "keeper", story: ok(await host.view(sessionId)).story.dir }, "net.fetch"));
    expect(await play(host, sessionId, "wait")).toMatchObject({ passages: [{ text: "You ring." }] });
    const allowed = { ...denied, status: "allow" };
    expect(eventsNamed(await eventsOf(host, sessionId), "policy:decision")).toMatchObject([denied, allowed]);
    const granted = await begin([asking], { sandbox: "any", grants: { keeper: ["net.fetch"] } });
    expect(await play(granted.host, granted.sessionId, "wait")).toMatchObject({ passages: [{ text: "You ring." }] });
  });

  test("has no say in another story's sessions", async () => {
    const { host } = await begin([gate("deny")]);
    const elsewhere = (await host.create({ storyDir: storyOf([]) })) as { sessionId: string };
    await host.idle(elsewhere.sessionId);
    expect(await play(host, elsewhere.sessionId, "wait")).toMatchObject({ status: "completed" });
  });
});

test("[K1.2] a session's log says which hooks it has, once; a fork has them too", async () => {
  const hooks = [
    hook("late", ["note", "/dev/null"], { priority: 10 }),
    hook("early", ["note", "/dev/null"], { priority: 5 }),
  ];
  const { host, sessionId } = await begin(hooks);
  const { turnId } = await play(host, sessionId, "wait");
  const fork = (await host.fork(sessionId, turnId)) as { sessionId: string };
  await play(host, fork.sessionId, "wait");
  const registered = eventsNamed(await eventsOf(host, sessionId), "hook:register");
  expect(registered.map(({ module, data }) => [module, data.event])).toEqual([
    ["early", "*"],
    ["late", "*"],
  ]);
  const inFork = (await eventsOf(host, fork.sessionId)).filter(({ event }) => event === "hook:register");
  expect(inFork).toHaveLength(2);
});

function hook(name: string, args: string[], more: JsonObject): JsonObject {
  const transport = { type: "stdio", command: ["node", "watcher.mjs", name, ...args] };
  return { name, kind: "hook", protocol: "amplifier/1", transport, capabilities: [], ...more };
}

function storyOf(mounts: JsonObject[]): string {
  const plans = [
    { match: "wait", narrative: "You wait." },
    { match: "ring the bell", narrative: "You ring." },
  ];
  const dir = makeStoryFolder({ "plans.json": JSON.stringify(plans), "story.json": JSON.stringify({ mounts }) });
  copyFileSync(WATCHER, join(dir, "watcher.mjs"));
  return dir;
}

async function begin(mounts: JsonObject[], policy?: Policy): Promise<{ host: Host; sessionId: string }> {
  const host = await openSessions({ storyDir: storyOf(mounts), sandbox: "none", allowUnconfined: true, policy });
  hosts.push(host);
  const created = await host.create({});
  if (isRefusal(created)) throw new Error(JSON.stringify(created));
  await host.idle(created.sessionId);
  return { host, sessionId: created.sessionId };
}

async function play(host: Host, sessionId: string, prompt: string): Promise<TurnView> {
  await host.prompt(sessionId, prompt);
  await host.idle(sessionId);
  return ((await host.view(sessionId)) as SessionView).turns.at(-1) as TurnView;
}

/** All that is stored: a reader is given the last number there is. */
async function eventsOf(host: Host, sessionId: string): Promise<NarratoriaEvent[]> {
  const view = await host.view(sessionId);
  if (isRefusal(view)) throw new Error(view.message);
  const events: NarratoriaEvent[] = [];
  await new Promise<void>((resolve) => {
    const take = (streamed: StreamedEvent): boolean => {
      events.push(streamed.event());
      if (streamed.seq >= view.seq) resolve();
      return true;
    };
    void host.follow(sessionId, 0, { take, closed: () => {} });
  });
  return events;
}
