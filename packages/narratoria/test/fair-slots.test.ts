/** Greedy sessions and a modest one on a host with few slots, with real tools: everybody has their turn. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSessions, type Host } from "../src/create-narratoria.ts";
import { ok } from "./scripted-host.ts";

let folder: string;
let host: Host;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-test-"));
  const story = join(folder, "story");
  mkdirSync(join(story, "tools"), { recursive: true });
  writeTool("brief", "exit 0");
  // Until the modest one has had its turn, however long that takes.
  writeTool("greedy", `n=0; while [ ! -e '${folder}/done' ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done`);
  const tools = (name: string, count: number): object[] =>
    Array.from({ length: count }, (_, n) => ({ toolId: `${name}${n}`, toolPath: name, async: true }));
  writeFileSync(
    join(story, "plans.json"),
    JSON.stringify([
      { opening: true, narrative: "." },
      { match: "hog", plan: { parallel: true, tools: [...tools("brief", 20), ...tools("greedy", 1)] }, narrative: "." },
      { match: "ask", plan: { tools: tools("brief", 1) }, narrative: "." },
    ]),
  );
  host = await openSessions({ storyDir: story, sandbox: "none", allowUnconfined: true, slots: 2 });
});
afterEach(async () => {
  writeFileSync(join(folder, "done"), "");
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

function writeTool(name: string, script: string): void {
  const file = join(folder, "story", "tools", name);
  const done = '{"version":"0","type":"done","ok":true}';
  writeFileSync(file, `#!/bin/sh\n${script.replace("exit 0", ":")}\necho '${done}'\n`);
  chmodSync(file, 0o755);
}

async function begin(): Promise<string> {
  const { sessionId } = ok(await host.create({}));
  await host.idle(sessionId);
  return sessionId;
}

test("[X1.1] [Z1.7] a modest session has its turn while greedy ones have all slots but one and many tools waiting", async () => {
  const [hog, another, modest] = [await begin(), await begin(), await begin()];
  const { turnId: hogging } = ok(await host.prompt(hog, "hog"));
  const { turnId: anotherHogging } = ok(await host.prompt(another, "hog"));
  const { turnId } = ok(await host.prompt(modest, "ask"));
  expect(await host.turnEnded(modest, turnId)).toBe("completed");
  expect(ok(await host.view(hog)).turns.at(-1)?.status).toBe("running");
  writeFileSync(join(folder, "done"), "");
  for (const [session, turn] of [[hog, hogging] as const, [another, anotherHogging] as const]) {
    expect(await host.turnEnded(session, turn)).toBe("completed");
    const view = ok(await host.view(session));
    expect(view.turns.at(-1)?.tools.map(({ status }) => status)).toEqual(Array.from({ length: 21 }, () => "completed"));
  }
});
