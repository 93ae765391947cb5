/** What a session is told to remember, over forks and restarts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRefusal } from "../src/runtime/seams/session-service.ts";
import { createScriptedHost } from "./scripted-host.ts";

const narrate = (): { kind: "end"; narrative: string; choices: []; memory: null } => {
  return { kind: "end", narrative: "x", choices: [], memory: null };
};

test("[K1.2] what is set is read again, also by a new host, and both are events", async () => {
  const folder = mkdtempSync(join(tmpdir(), "narratoria-context-"));
  const host = createScriptedHost({ narrate, file: join(folder, "a.db") });
  const session = await host.begin();
  expect(await host.sessions.getContext(session, "mood")).toEqual({ key: "mood", value: null });
  await host.sessions.setContext(session, "mood", { calm: true });
  await host.sessions.setContext(session, "mood", { calm: false });
  await host.sessions.close();

  const again = createScriptedHost({ narrate, file: join(folder, "a.db") });
  expect(await again.sessions.getContext(session, "mood")).toEqual({ key: "mood", value: { calm: false } });
  const names = again.store.eventsAfter(session, 0, 100).map(({ name }) => name);
  expect(names.filter((name) => name === "context:get")).toHaveLength(2);
  await again.sessions.close();
  rmSync(folder, { recursive: true, force: true });
});

test("[K1.3] a fork has what was set before it, and is independent afterwards", async () => {
  const host = createScriptedHost({ narrate });
  const parent = await host.begin();
  await host.sessions.setContext(parent, "mood", "before");
  const turnId = await host.play(parent, "on");
  const forked = await host.sessions.fork(parent, turnId);
  if (isRefusal(forked)) throw new Error(forked.message);
  await host.sessions.setContext(parent, "mood", "parent");
  expect(await host.sessions.getContext(forked.sessionId, "mood")).toMatchObject({ value: "before" });
  await host.sessions.setContext(forked.sessionId, "mood", "child");
  expect(await host.sessions.getContext(parent, "mood")).toMatchObject({ value: "parent" });
  expect(await host.sessions.getContext(forked.sessionId, "mood")).toMatchObject({ value: "child" });
});

test("keys of Narratoria's own are refused", async () => {
  const host = createScriptedHost({ narrate });
  const session = await host.begin();
  expect(await host.sessions.setContext(session, "narrator", null)).toMatchObject({
    kind: "refused",
    code: "bad_request",
  });
});
