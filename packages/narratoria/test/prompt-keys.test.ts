/** A prompt that is sent again because its answer was lost is the same turn, also after the host has died. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createScriptedHost, end, ok, type ScriptedHost } from "./scripted-host.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(): ScriptedHost {
  return createScriptedHost({ file: join(folder, "log.db"), narrate: ({ prompt }) => end(`Told ${prompt}.`) });
}

test("[Z1.4] with the same key: while it runs, when it has ended, and in the next host", async () => {
  const host = open();
  const session = await host.begin();
  const first = ok(await host.sessions.prompt(session, "go", { key: "a" }));
  expect(await host.sessions.prompt(session, "go", { key: "a" })).toEqual(first);
  await host.sessions.idle(session);
  expect(await host.sessions.prompt(session, "go", { key: "a" })).toEqual(first);
  await host.sessions.close();

  const next = open();
  expect(await next.sessions.prompt(session, "go", { key: "a" })).toEqual(first);
  expect(ok(await next.sessions.view(session)).turnCount).toBe(2);
  const other = ok(await next.sessions.prompt(session, "go", { key: "b" }));
  expect(other).not.toEqual(first);
  await next.sessions.idle(session);
  await next.sessions.close();
});

test("[Z1.4] two at once with one key are one turn", async () => {
  const host = open();
  const session = await host.begin();
  const both = await Promise.all([1, 2].map(() => host.sessions.prompt(session, "go", { key: "a" })));
  expect(both[1]).toEqual(both[0]);
  await host.sessions.idle(session);
  expect(ok(await host.sessions.view(session)).turnCount).toBe(2);
  await host.sessions.close();
});

test("another prompt with a key that was used is refused, and another session may use it", async () => {
  const host = open();
  const [session, other] = [await host.begin(), await host.begin()];
  const first = ok(await host.sessions.prompt(session, "go", { key: "a" }));
  await host.sessions.idle(session);
  expect(await host.sessions.prompt(session, "stay", { key: "a" })).toMatchObject({
    kind: "refused",
    code: "conflict",
  });
  expect(ok(await host.sessions.prompt(other, "go", { key: "a" }))).not.toEqual(first);
  await host.sessions.idle(other);
  await host.sessions.close();
});
