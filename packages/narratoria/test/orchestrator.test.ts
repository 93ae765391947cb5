/** A story told by a module, with everything else real: the turn loop, the log, the tools. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { openSessions, type Host } from "../src/create-narratoria.ts";
import type { TurnRecord } from "../src/runtime/seams/session-service.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { processesWorkingIn } from "./processes.ts";
import { ok } from "./scripted-host.ts";

const MODULE = fileURLToPath(new URL("./fixtures/modules/storyteller.mjs", import.meta.url));
const storyteller = {
  name: "storyteller",
  kind: "orchestrator",
  protocol: "amplifier/1",
  transport: { type: "stdio", command: ["node", "storyteller.mjs"] },
  capabilities: [] as string[],
};

test("a module ends when its session is deleted, and the other session's does not", async () => {
  const storyDir = storyOf([storyteller]);
  const host = await openSessions({ storyDir, sandbox: "none", allowUnconfined: true });
  const { sessionId: one } = (await host.create({})) as { sessionId: string };
  const { sessionId: two } = (await host.create({})) as { sessionId: string };
  await host.idle(one);
  await host.idle(two);
  expect(processesWorkingIn(storyDir)).toHaveLength(2);
  expect(await host.remove(one)).toMatchObject({ removed: true, kept: null });
  expect(processesWorkingIn(storyDir)).toHaveLength(1);
  await host.close();
  expect(processesWorkingIn(storyDir)).toEqual([]);
});

describe("a story told by a module", () => {
  let host: Host;
  let sessionId: string;
  beforeAll(async () => {
    host = await openSessions({ storyDir: storyOf([storyteller]), sandbox: "none", allowUnconfined: true });
    ({ sessionId } = ok(await host.create({})));
    await host.idle(sessionId);
  });
  afterAll(() => host.close());

  async function play(prompt: string): Promise<TurnRecord> {
    const { turnId } = ok(await host.prompt(sessionId, prompt));
    await host.turnEnded(sessionId, turnId);
    return ok(await host.turn(sessionId, turnId));
  }

  test("[A1.9] [N1.1] it opens, plans, hears what became of the plan, and remembers", async () => {
    const opening = ok(await host.view(sessionId));
    expect(opening.turns[0]?.passages).toEqual([{ kind: "text", text: "Turn 1 of a session: it begins, nothing." }]);
    const { turn, plans, trace } = await play("ring");
    expect(turn.passages.filter(({ kind }) => kind === "text")).toEqual([
      { kind: "text", text: "You pull the rope." },
      { kind: "text", text: "Turn 2 of a session: ring, failed." },
    ]);
    expect(turn.choices).toMatchObject([{ label: "ring" }, { label: "wait" }]);
    expect(plans).toHaveLength(1);
    const asked = trace.filter(({ event, module }) => event === "module:invoke" && module === "storyteller");
    expect(asked).toMatchObject([
      { status: "ok", component: "narrator", data: { op: "next" } },
      { status: "ok", data: { op: "next" } },
    ]);
  });

  test.each([
    ["fail", "the storyteller has lost the thread"],
    ["mumble", "neither a plan nor an end"],
  ])(
    "[N1.4] when it answers nothing useful (%s) the player still gets an answer, and the log says why",
    async (prompt, why) => {
      const { turn, trace } = await play(prompt);
      expect(turn.status).toBe("completed");
      expect(turn.passages.length).toBeGreaterThan(0);
      const asked = trace.find(({ event }) => event === "module:invoke");
      expect(asked).toMatchObject({
        module: "storyteller",
        status: "error",
        error: { message: expect.stringContaining(why) },
      });
    },
  );
});

test.each<[string, JsonObject[], string]>([
  ["without an orchestrator", [{ ...storyteller, kind: "tool" }], "no mount is"],
  ["with two of them", [storyteller, { ...storyteller, name: "another" }], "storyteller, another"],
])("a story %s does not begin", async (_, mounts, message) => {
  const host = await openSessions({ storyDir: storyOf(mounts), sandbox: "none", allowUnconfined: true });
  const created = await host.create({});
  expect(created).toMatchObject({ kind: "refused", details: { problems: [{ pointer: "/narrator" }] } });
  expect(JSON.stringify(created)).toContain(message);
  await host.close();
});

test("[K1.5] what was decided about it is in the log, before it is asked", async () => {
  const asking = { ...storyteller, capabilities: ["net.fetch", "secrets.read:STORY_KEY", "a remark"] };
  const policy = { sandbox: "any" as const, grants: { storyteller: ["net.fetch", "secrets.read"] } };
  const host = await openSessions({ storyDir: storyOf([asking]), sandbox: "none", policy });
  const { sessionId } = ok(await host.create({}));
  await host.idle(sessionId);
  const { trace } = ok(await host.turn(sessionId, ok(await host.view(sessionId)).headTurnId ?? ""));
  const decided = trace.filter(({ event }) => event === "policy:decision" || event === "module:invoke");
  expect(decided).toMatchObject([
    { event: "policy:decision", module: "storyteller", status: "allow", data: { capability: "net.fetch" } },
    { event: "policy:decision", status: "allow", data: { capability: "secrets.read:STORY_KEY" } },
    { event: "module:invoke", module: "storyteller", status: "ok" },
  ]);
  await host.close();
});

test("[K1.5] one that needs what nobody granted is never started", async () => {
  const asking = { ...storyteller, capabilities: ["net.fetch"] };
  const storyDir = storyOf([asking]);
  const host = await openSessions({ storyDir, sandbox: "none", allowUnconfined: true });
  const { sessionId } = ok(await host.create({}));
  await host.idle(sessionId);
  const view = ok(await host.view(sessionId));
  const turn = await host.turn(sessionId, view.headTurnId ?? "");
  expect(JSON.stringify(turn)).toContain("needs net.fetch, which was not granted");
  expect(ok(turn).trace.filter(({ event }) => event === "policy:decision")).toMatchObject([
    { module: "storyteller", status: "deny", data: { capability: "net.fetch" } },
  ]);
  expect(processesWorkingIn(storyDir)).toEqual([]);
  await host.close();
});

function storyOf(mounts: JsonObject[]): string {
  const dir = makeStoryFolder({ "story.json": JSON.stringify({ narrator: "module", mounts }) }, ["bell"]);
  copyFileSync(MODULE, join(dir, "storyteller.mjs"));
  return dir;
}
