/** Mounts that come and go while a session is open: the next turn has them, and the log says so. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openSessions } from "../src/create-narratoria.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import type { SessionService, StreamedEvent } from "../src/runtime/seams/session-service.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { ok } from "./scripted-host.ts";

test("[K1.2] what is mounted or taken away on disk is there or gone in the next turn, without a restart", async () => {
  const plans = [{ match: "ring", plan: { tools: [{ toolId: "b", toolPath: "bell", required: false }] } }];
  const dir = makeStoryFolder({ "plans.json": JSON.stringify(plans), "story.json": "{}" }, ["drum"]);
  const sessions = await openSessions({ storyDir: dir, sandbox: "none", allowUnconfined: true });
  const { sessionId } = ok(await sessions.create({}));
  await sessions.idle(sessionId);

  writeFileSync(join(dir, "tools/bell"), "#!/bin/sh\n", { mode: 0o755 });
  rmSync(join(dir, "tools/drum"));
  const { turnId } = ok(await sessions.prompt(sessionId, "ring"));
  await sessions.turnEnded(sessionId, turnId);
  const fork = ok(await sessions.fork(sessionId, turnId)).sessionId;
  const again = ok(await sessions.prompt(fork, "ring"));
  await sessions.turnEnded(fork, again.turnId);

  const told = (events: NarratoriaEvent[]): string[] =>
    events.flatMap((event) =>
      event.event === "mount:add" || event.event === "mount:remove"
        ? [`${event.event} ${JSON.stringify(event.data.path)}`]
        : [],
    );
  const changes = ['mount:add "/tools/drum"', 'mount:remove "/tools/drum"', 'mount:add "/tools/bell"'];
  expect(told(await eventsOf(sessions, sessionId))).toEqual(changes);
  expect(told(await eventsOf(sessions, fork))).toEqual(changes);
  await sessions.close();
});

async function eventsOf(sessions: SessionService, sessionId: string): Promise<NarratoriaEvent[]> {
  const events: NarratoriaEvent[] = [];
  const { seq } = ok(await sessions.view(sessionId));
  const take = ({ event }: StreamedEvent): boolean => events.push(event()) > 0;
  const subscription = ok(await sessions.follow(sessionId, 0, { take, closed: () => {} }));
  await vi.waitUntil(() => events.at(-1)?.seq === seq, { timeout: 30_000 });
  subscription.close();
  return events;
}
