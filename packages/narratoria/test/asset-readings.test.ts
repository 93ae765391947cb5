/** That an asset was stored or read is an event, the reading told once for each host; reading never depends on it. */
import { rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isRefusal, type SessionService } from "../src/runtime/seams/session-service.ts";
import { openSessions } from "../src/create-narratoria.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import { createPlayground } from "./playground.ts";
import { eventsNamed, ok } from "./scripted-host.ts";

test("[K1.2] that an asset was stored is an event, and its first reading one, with its address and how it went", async () => {
  using playground = createPlayground();
  const open = () =>
    openSessions({ dataDir: playground.data, storyDir: playground.story, sandbox: "none", allowUnconfined: true });
  const here = await open();
  const { sessionId } = ok(await here.create({}));
  await here.idle(sessionId);
  const { turnId } = ok(await here.prompt(sessionId, "Light the lamp"));
  await here.turnEnded(sessionId, turnId);
  const passages = ok(await here.view(sessionId)).turns.flatMap((turn) => turn.passages);
  const [id = ""] = passages.flatMap((passage) => (passage.kind === "asset" ? (passage.asset.id ?? []) : []));
  const readings = async (sessions: SessionService): Promise<unknown[]> => {
    const events = await eventsOf(sessions, sessionId);
    return events.flatMap((event) => (event.event === "artifact:read" ? [[event.data.uri, event.status]] : []));
  };
  const { file, bytes, mediaType } = ok(await here.asset(id));
  const written = eventsNamed(await eventsOf(here, sessionId), "artifact:write");
  const stored = eventsNamed(await eventsOf(here, sessionId), "tool:event").find((event) => event.id === id);
  expect(written).toMatchObject([
    {
      component: "runner",
      request_id: stored?.request_id,
      span_id: stored?.span_id,
      data: { uri: `asset:${id}`, bytes, mediaType, toolId: stored?.data.toolId },
    },
  ]);
  // What is told of the asset comes first: nobody hears of bytes before they hear whose they are.
  expect((written[0]?.seq ?? 0) - (stored?.seq ?? 0)).toBe(1);
  ok(await here.asset(id));
  expect(await readings(here)).toEqual([[`asset:${id}`, "ok"]]);
  expect(isRefusal(await here.asset("nothing"))).toBe(true);
  await here.close();

  writeFileSync(file, "");
  const again = await open();
  await again.asset(id);
  expect((await readings(again)).slice(1)).toEqual([[`asset:${id}`, "damaged"]]);
  await again.close();

  rmSync(file);
  const later = await open();
  expect(await later.asset(id)).toMatchObject({ kind: "refused", code: "not_found" });
  expect((await readings(later)).at(-1)).toEqual([`asset:${id}`, "missing"]);
  await later.close();
});

async function eventsOf(sessions: SessionService, sessionId: string): Promise<NarratoriaEvent[]> {
  const { seq } = ok(await sessions.view(sessionId));
  const events: NarratoriaEvent[] = [];
  await new Promise<void>((heard) => {
    void sessions.follow(sessionId, 0, {
      take: (streamed) => (events.push(streamed.event()), streamed.seq === seq && heard(), true),
      closed: () => {},
    });
  });
  return events;
}
