/** Mounts that come and go while a session is open: the next turn has them, and the log says so. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSessions } from "../src/create-narratoria.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import { isRefusal, type SessionService } from "../src/runtime/seams/session-service.ts";
import { makeStoryFolder } from "./narrator-session.ts";

test("[K1.2] what is mounted or taken away on disk is there or gone in the next turn, without a restart", async () => {
  const plans = [{ match: "ring", plan: { tools: [{ toolId: "b", toolPath: "bell", required: false }] } }];
  const dir = makeStoryFolder({ "plans.json": JSON.stringify(plans), "story.json": "{}" }, ["drum"]);
  const sessions = await openSessions({ storyDir: dir, sandbox: "none" });
  const created = await sessions.create({});
  const { sessionId } = created as { sessionId: string };
  await sessions.idle(sessionId);

  writeFileSync(join(dir, "tools/bell"), "#!/bin/sh\n", { mode: 0o755 });
  rmSync(join(dir, "tools/drum"));
  sessions.prompt(sessionId, "ring");
  await sessions.idle(sessionId);
  const view = sessions.view(sessionId);
  const forked = sessions.fork(sessionId, isRefusal(view) ? "" : (view.headTurnId ?? "")) as { sessionId: string };
  sessions.prompt(forked.sessionId, "ring");
  await sessions.idle(forked.sessionId);

  const told = (events: NarratoriaEvent[]): string[] =>
    events.flatMap(({ event, data }) =>
      event.startsWith("mount:") ? [`${event} ${JSON.stringify(data?.["path"])}`] : [],
    );
  const changes = ['mount:add "/tools/drum"', 'mount:remove "/tools/drum"', 'mount:add "/tools/bell"'];
  expect(told(await eventsOf(sessions, sessionId))).toEqual(changes);
  expect(told(await eventsOf(sessions, forked.sessionId))).toEqual(changes);
  await sessions.close();
});

function eventsOf(sessions: SessionService, sessionId: string): Promise<NarratoriaEvent[]> {
  return new Promise((resolve) => {
    const events: NarratoriaEvent[] = [];
    const subscription = sessions.follow(sessionId, 0, {
      event: (event) => events.push(event) > 0,
      closed: () => {},
    });
    setImmediate(() => {
      if (!isRefusal(subscription)) subscription.close();
      resolve(events);
    });
  });
}
