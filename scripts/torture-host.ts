/**
 * The host that `torture.ts` torments: `node --import torture-faults.ts torture-host.ts DATA STORY SANDBOX SEED`. It plays
 * three sessions at once, with readers that take everything and one that takes nothing, and prints every event once it
 * was told of it. What is refused in words is asked again; anything else ends it, and that is a find.
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openSessions } from "../packages/narratoria/src/create-narratoria.ts";
import { isRefusal } from "../packages/narratoria/src/runtime/seams/session-service.ts";
import { letCallsFail } from "./torture-faults.ts";

const SESSIONS = 3;
const PROMPTS = ["work", "work", "paint", "flood"];
const [dataDir = "", storyDir = "", sandbox = "none", seed = "1"] = process.argv.slice(2);
const host = await openSessions({
  dataDir,
  storyDir,
  sandbox: sandbox === "none" ? "none" : "best",
  allowUnconfined: true,
});
process.on("SIGTERM", () => void host.close().then(() => process.exit(0)));

const known = (await host.list()).map(({ sessionId }) => sessionId).slice(0, SESSIONS);
while (known.length < SESSIONS) {
  const created = await host.create({});
  if (!isRefusal(created)) known.push(created.sessionId);
  else await sleep(20);
}
writeSync(1, "ready\n");
// For the test of the command: told, and never kept.
if (process.env["NARRATORIA_TORTURE_LIE"] === "1") writeSync(1, `${known[0]} 999999999\n`);
letCallsFail();
await Promise.all(known.map((sessionId, index) => play(sessionId, index)));

async function play(sessionId: string, index: number): Promise<void> {
  const tell = { take: ({ seq }: { seq: number }) => (writeSync(1, `${sessionId} ${seq}\n`), true), closed: () => {} };
  await host.follow(sessionId, 0, tell);
  await host.follow(sessionId, 0, { take: () => false, closed: () => {} });
  for (let turn = Number(seed) + index; ; turn++) {
    await host.idle(sessionId);
    const view = await host.view(sessionId);
    const head = isRefusal(view) ? undefined : view.turns.at(-1);
    const text = PROMPTS[turn % PROMPTS.length] ?? "work";
    const begun =
      head?.status === "interrupted" && turn % 3 === 0
        ? await host.resume(sessionId, head.turnId)
        : await host.prompt(sessionId, text);
    if (isRefusal(begun)) await sleep(20);
    else if ("turnId" in begun) await host.turnEnded(sessionId, begun.turnId);
  }
}
