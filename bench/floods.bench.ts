/**
 * What others notice of a tool that says far too much: the slowest answer to another session while a real tool floods
 * its own, against the slowest of an idle host over as long a time. Somebody looks at the flooded session meanwhile.
 */
import type { SessionView } from "../packages/narratoria/src/story/session-view.ts";
import { FLOODS, makeFloodedStory } from "../packages/narratoria/test/floods.ts";
import { createPlayground, serve, type Serving } from "../packages/narratoria/test/serve-process.ts";
import type { Benchmark, Row } from "./compare.ts";

const benchmark: Benchmark = { title: "The slowest answer to another session while a tool floods the host", run };
export default benchmark;

/** Between two questions to the other session. */
const PAUSE_MS = 5;

async function run(): Promise<Row[]> {
  using ground = createPlayground();
  using story = makeFloodedStory();
  const server = await serve(["--port", "0", "--data", ground.data, "--story", story.path]);
  const rows: Row[] = [];
  try {
    const other = await begin(server);
    for (const [name, { mustNot }] of Object.entries(FLOODS)) {
      const flooded = await begin(server);
      const began = performance.now();
      await server.api("POST", `/api/sessions/${flooded}/prompts`, { text: name });
      const over = server.until(flooded, ({ turns }) => turns.at(-1)?.status !== "running");
      const measured = await slowestAnswer(server, other, over);
      const lasted = performance.now() - began;
      const idle = new Promise((resolve) => setTimeout(resolve, lasted));
      const baseline = await slowestAnswer(server, other, idle);
      rows.push({ name: mustNot, measured, baseline, unit: "ms" });
    }
    return rows;
  } finally {
    await server.end("SIGTERM");
  }
}

async function slowestAnswer(server: Serving, sessionId: string, until: Promise<unknown>): Promise<number> {
  let isOver = false;
  void until.then(() => (isOver = true));
  let slowest = 0;
  while (!isOver) {
    const asked = performance.now();
    await server.api("GET", `/api/sessions/${sessionId}`);
    slowest = Math.max(slowest, performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return slowest;
}

async function begin(server: Serving): Promise<string> {
  const { body } = await server.api("POST", "/api/sessions", {});
  const { sessionId } = body as SessionView;
  await server.until(sessionId, ({ turns }) => turns.at(-1)?.status === "completed");
  return sessionId;
}
