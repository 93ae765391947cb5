/**
 * The host that `soak.ts` watches, in a process of its own: `node --expose-gc soak-host.ts DATA STORY SANDBOX TURNS LOOKS`
 * plays that many turns, each with a tool and a reader that comes and goes, and prints a line of figures at each look.
 */
import { getEventListeners } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { openSessions, type Host } from "../packages/narratoria/src/create-narratoria.ts";
import { isRefusal, type Refusal } from "../packages/narratoria/src/runtime/seams/session-service.ts";

export interface Look {
  turns: number;
  heapKb: number;
  rssKb: number;
  descriptors: number;
  processes: number;
  listeners: number;
}

/** A session of its own for so many turns: what a session tells grows with it, what a host holds must not. */
const TURNS_A_SESSION = 100;
const SETTLING_MS = 300;

const [dataDir = "", storyDir = "", sandbox = "best", turns = "0", looks = "1"] = process.argv.slice(2);
// For the test of the command.
const leak = process.env["NARRATORIA_SOAK_LEAK"] === "1";
const leaked: unknown[] = [];
const host = await openSessions({
  dataDir,
  storyDir,
  sandbox: sandbox === "none" ? "none" : "best",
  allowUnconfined: true,
});
const every = Math.max(1, Math.floor(Number(turns) / Number(looks)));
let sessionId = "";
for (let turn = 1; turn <= Number(turns); turn++) {
  if (turn % TURNS_A_SESSION === 1) sessionId = await anotherSession(host, sessionId);
  const reader = orThrow(await host.follow(sessionId, 0, { take: () => true, closed: () => {} }));
  const { turnId } = orThrow(await host.prompt(sessionId, "light"));
  const ending = await host.turnEnded(sessionId, turnId);
  reader.close();
  if (ending !== "completed") throw new Error(`turn ${turn} ${JSON.stringify(ending)}`);
  if (leak) leaked.push(Buffer.alloc(20_000).toString("hex"));
  if (turn % every === 0) process.stdout.write(`${JSON.stringify(await look(turn))}\n`);
}
await host.close();

async function anotherSession(sessions: Host, before: string): Promise<string> {
  if (before !== "") orThrow(await sessions.remove(before));
  const created = orThrow(await sessions.create({}));
  await sessions.idle(created.sessionId);
  return created.sessionId;
}

async function look(turn: number): Promise<Look> {
  // Tools are gone when their turn has ended; what they are waited for with takes a moment longer.
  await new Promise((go) => setTimeout(go, SETTLING_MS));
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return {
    turns: turn,
    heapKb: Math.round(heapUsed / 1024),
    rssKb: Math.round(rss / 1024),
    descriptors: readdirSync("/proc/self/fd").length,
    processes: readFileSync("/proc/self/task/" + process.pid + "/children", "utf8")
      .trim()
      .split(" ").length,
    listeners: process.eventNames().reduce((sum, name) => sum + getEventListeners(process, name).length, 0),
  };
}

function orThrow<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}
