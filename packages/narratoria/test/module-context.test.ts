/** A module that keeps the narrator's context: what the narrator is told, and what the log says of it. */
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../src/runtime/seams/clock.ts";
import { createModules } from "../src/runners/modules.ts";
import { testPermissions } from "./test-permissions.ts";
import { createModuleCaller } from "../src/runtime/policy/call-module.ts";
import { openModuleContext } from "../src/runtime/turns/module-context.ts";
import type { Modules } from "../src/runtime/seams/modules.ts";
import { findMounts } from "../src/runtime/mounts/mounts.ts";
import type { NarratorQuestion } from "../src/runtime/seams/narrator.ts";
import { NOTHING_GRANTED } from "../src/runtime/policy/policy.ts";
import { createUnconfined } from "../src/sandbox/unconfined.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { createScriptedHost, eventsNamed, streamOf, type ScriptedHost } from "./scripted-host.ts";

const MODULE = fileURLToPath(new URL("./fixtures/modules/chronicler.mjs", import.meta.url));
const LONG = "x".repeat(40 * 1024);
const pools: Modules[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

describe("a context module", () => {
  test("[A1.9] [K1.2] is asked for the history at each turn, and told what was told", async () => {
    const { host, notebook } = begin("well");
    const sessionId = await host.begin();
    await host.play(sessionId, "go on");
    expect(historyOf(host.questions.at(-1))).toEqual(["So far:", "It begins."]);
    expect(readFileSync(notebook, "utf8")).toBe("null: 10\ngo on: 10\n");
    const events = streamOf(host.store, sessionId);
    const asked = eventsNamed(events, "module:invoke").filter(({ module }) => module === "chronicler");
    expect(asked.map(({ data, status }) => `${JSON.stringify(data.op)} ${status}`)).toEqual([
      '"get" ok',
      '"set" ok',
      '"get" ok',
      '"set" ok',
    ]);
    expect(events.filter(({ event }) => event === "context:get")).toHaveLength(2);
    await host.sessions.close();
  });

  test("[A1.9] [K1.7] shortens what is too long; the log keeps everything", async () => {
    const { host } = begin("well", LONG);
    const sessionId = await host.begin();
    for (const prompt of ["one", "two"]) await host.play(sessionId, prompt);
    expect(historyOf(host.questions.at(-1))).toEqual(["So far:", "2 turns ago it began."]);
    const events = streamOf(host.store, sessionId);
    expect(events.find(({ event }) => event === "context:pre_compact")?.data).toMatchObject({ bytes: 80 * 1024 + 3 });
    expect(eventsNamed(events, "turn:end").filter(({ data }) => data.narrative === LONG)).toHaveLength(3);
    await host.sessions.close();
  });

  test("that answers nonsense changes nothing", async () => {
    const { host } = begin("nonsense");
    const sessionId = await host.begin();
    await host.play(sessionId, "go on");
    expect(historyOf(host.questions.at(-1))).toEqual(["It begins."]);
    await host.sessions.close();
  });

  test("[K1.5] that was not granted what it needs is not asked", async () => {
    const { host } = begin("well", "It begins.", ["net.fetch"]);
    const sessionId = await host.begin();
    await host.play(sessionId, "go on");
    expect(historyOf(host.questions.at(-1))).toEqual(["It begins."]);
    const events = streamOf(host.store, sessionId);
    expect(events.filter(({ event }) => event === "policy:decision")[0]).toMatchObject({
      status: "deny",
      module: "chronicler",
    });
    expect(events.map(({ event }) => event)).not.toContain("module:invoke");
    await host.sessions.close();
  });
});

function begin(
  behaviour: string,
  narrative = "It begins.",
  capabilities: string[] = [],
): { host: ScriptedHost; notebook: string } {
  const dir = makeStoryFolder({});
  const notebook = join(dir, "notebook.txt");
  copyFileSync(MODULE, join(dir, "chronicler.mjs"));
  const transport = { type: "stdio", command: ["node", "chronicler.mjs", behaviour, notebook] };
  const { mounts } = findMounts(dir, [{ name: "chronicler", kind: "context", transport, capabilities }]);
  const modules = createModules({ sandbox: createUnconfined() });
  pools.push(modules);
  const permissions = testPermissions(NOTHING_GRANTED);
  const open = openModuleContext(createModuleCaller(modules, permissions, systemClock));
  const host = createScriptedHost({
    narrate: () => ({ kind: "end", narrative, choices: [], memory: null }),
    openContext: (_, sessionId, note) => open({ dir, mounts }, sessionId, note),
  });
  return { host, notebook };
}

function historyOf(question: NarratorQuestion | undefined): string[] {
  return question?.context.history.map(({ narrative }) => narrative) ?? [];
}
