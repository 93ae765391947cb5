/** Many stories on one server: five hundred sessions with a reader each, the real log and real sockets. */
import { expect, test } from "vitest";
import { isRefusal } from "../src/runtime/seams/session-service.ts";
import { createApp } from "../src/server/create-app.ts";
import { startServer } from "../src/server/start-server.ts";
import { NO_TOOLS } from "./fake-sessions.ts";
import { createScriptedHost } from "./scripted-host.ts";
import { readEvents, TOKEN } from "./served-app.ts";

const SESSIONS = 500;

test("[U1.8] five hundred sessions with a reader each: every event once, in order", { timeout: 120_000 }, async () => {
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0
        ? { kind: "end", narrative: "x", choices: [], memory: null }
        : { kind: "plan", plan: { tools: [{ toolId: "a", toolPath: "lamp" }] } },
  });
  const server = await startServer(
    createApp({ sessions: host.sessions, tools: NO_TOOLS, token: TOKEN }),
    "127.0.0.1",
    0,
  );
  if ("kind" in server) throw new Error(server.message);
  const ids = await Promise.all(Array.from({ length: SESSIONS }, () => host.begin()));
  const readers = await Promise.all(
    ids.map((id) => readEvents(`http://127.0.0.1:${server.port}/api/sessions/${id}/events`)),
  );
  await Promise.all(ids.map((id) => host.play(id, "go")));

  const expected = ids.map((id) => host.store.eventsAfter(id, 0, 1_000).map(({ seq }) => seq));
  await Promise.all(readers.map((reader, index) => reader.sees(`id: ${expected[index]?.at(-1)}\n`)));
  expect(readers.map((reader) => reader.ids)).toEqual(expected);
  // Each tells one story only.
  const view = await host.sessions.view(ids[0] ?? "");
  expect(isRefusal(view) ? [] : view.turns.map(({ prompt }) => prompt)).toEqual([null, "go"]);
  for (const reader of readers) reader.close();
  await server.close();
  await host.sessions.close();
});
