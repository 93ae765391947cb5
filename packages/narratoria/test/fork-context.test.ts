/** What a fork has of its parent's context: in its stream, in its file, and when a turn is told. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import {
  createScriptedHost,
  end,
  eventsNamed,
  failure,
  ok,
  planOf,
  streamOf,
  type ScriptedHost,
} from "./scripted-host.ts";

/** A parent with a context, a fork of it, and what each was told after the fork. */
async function forked(host: ScriptedHost): Promise<{ parent: string; fork: string }> {
  const parent = await host.begin();
  ok(await host.sessions.setContext(parent, "mood", "calm"));
  const turn = await host.play(parent, "on");
  const { sessionId: fork } = ok(await host.sessions.fork(parent, turn));
  ok(await host.sessions.setContext(parent, "mood", "later in the parent"));
  ok(await host.sessions.setContext(fork, "place", "a cellar"));
  return { parent, fork };
}

function setsIn(host: ScriptedHost, sessionId: string): unknown[] {
  return eventsNamed(streamOf(host.store, sessionId), "context:set").flatMap(({ data, turn_id }) =>
    turn_id ? [] : [[data.key, data.value]],
  );
}

test("[K1.3] a fork's stream has what its parent was told to remember before it, and nothing of later", async () => {
  const host = createScriptedHost({ narrate: () => end("x") });
  const { fork } = await forked(host);
  expect(setsIn(host, fork)).toEqual([
    ["mood", "calm"],
    ["place", "a cellar"],
  ]);
});

test("[K1.3] an exported fork keeps its parent's context", async () => {
  const folder = mkdtempSync(join(tmpdir(), "narratoria-fork-"));
  const host = createScriptedHost({ narrate: () => end("x"), file: join(folder, "here.db") });
  const { fork } = await forked(host);
  const file = await buffer(ok(await host.sessions.export(fork)));
  await host.sessions.close();
  const there = createScriptedHost({ narrate: () => end("x"), file: join(folder, "there.db") });
  const { sessionId } = ok(await there.sessions.import(Readable.from([file])));
  expect(await there.sessions.getContext(sessionId, "mood")).toEqual({ key: "mood", value: "calm" });
  expect(await there.sessions.getContext(sessionId, "place")).toEqual({ key: "place", value: "a cellar" });
  await there.sessions.close();
  rmSync(folder, { recursive: true, force: true });
});

test("[K1.3] [N1.5] a skill that was enabled in the parent is enabled in its fork, and in a fork of that", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("x") : planOf("lamp")),
    tools: { lamp: () => ({ error: failure("process_error") }) },
  });
  const parent = await host.begin();
  for (let turn = 0; turn < 6; turn++) await host.play(parent, `try ${turn}`);
  const before = host.calls.length;
  await host.play(parent, "it is disabled");
  expect(host.calls).toHaveLength(before);
  ok(await host.sessions.enableSkill(parent, "lamp"));
  const head = ok(await host.sessions.view(parent)).headTurnId ?? "";
  const { sessionId: fork } = ok(await host.sessions.fork(parent, head));
  const { sessionId: second } = ok(await host.sessions.fork(fork, head));
  for (const session of [fork, second]) {
    const calls = host.calls.length;
    await host.play(session, "try again");
    expect(host.calls.length).toBeGreaterThan(calls);
  }
});
