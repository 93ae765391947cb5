/** That an asset was read is an event, told once for each host; reading never depends on it. */
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isRefusal } from "../src/runtime/seams/session-service.ts";
import { openSessions } from "../src/create-narratoria.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import { createPlayground } from "./playground.ts";
import { ok } from "./scripted-host.ts";

test("[K1.2] the first reading of an asset is an event with its address and how it went", async () => {
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
  const readings = async (sessions: typeof here): Promise<unknown[]> => {
    const { seq } = ok(await sessions.view(sessionId));
    const events: NarratoriaEvent[] = [];
    await new Promise<void>((heard) => {
      void sessions.follow(sessionId, 0, {
        take: (streamed) => (events.push(streamed.event()), streamed.seq === seq && heard(), true),
        closed: () => {},
      });
    });
    return events.flatMap((event) => (event.event === "artifact:read" ? [[event.data.uri, event.status]] : []));
  };
  const { file } = ok(await here.asset(id));
  ok(await here.asset(id));
  expect(await readings(here)).toEqual([[`asset:${id}`, "ok"]]);
  expect(isRefusal(await here.asset("nothing"))).toBe(true);
  await here.close();

  writeFileSync(file, "");
  const again = await open();
  await again.asset(id);
  expect(await readings(again)).toHaveLength(2);
  await again.close();
});
