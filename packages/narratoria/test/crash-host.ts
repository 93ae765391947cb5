/**
 * A host to be killed: `node crash-host.ts DATA STORY SANDBOX THEN`. It goes on with the session it finds (or a new
 * one), does with an interrupted turn what THEN says, and plays turn after turn, printing the number of every event
 * once it is committed.
 */
import { writeSync } from "node:fs";
import { openSessions } from "../src/create-narratoria.ts";
import { ok } from "./scripted-host.ts";

const [dataDir = "", storyDir = "", sandbox = "none", then = "prompt"] = process.argv.slice(2);
const sessions = await openSessions({
  dataDir,
  storyDir,
  sandbox: sandbox === "none" ? "none" : "best",
  allowUnconfined: true,
});
const known = (await sessions.list())[0]?.sessionId;
const sessionId = known ?? ok(await sessions.create({})).sessionId;

ok(await sessions.follow(sessionId, 0, { take: ({ seq }) => (writeSync(1, `${seq}\n`), true), closed: () => {} }));
await sessions.idle(sessionId);
const { turns } = ok(await sessions.view(sessionId));
const head = turns.at(-1);
if (head?.status === "interrupted" && then === "resume") ok(await sessions.resume(sessionId, head.turnId));
if (head?.status === "interrupted" && then === "discard") ok(await sessions.discard(sessionId, head.turnId));
await sessions.idle(sessionId);
writeSync(1, "ready\n");
for (;;) {
  const { turnId } = ok(await sessions.prompt(sessionId, "work"));
  await sessions.turnEnded(sessionId, turnId);
}
