/**
 * What a quiet session notices of 199 greedy ones, whose tools burn the processor and talk all the time: the slowest of
 * its answers, against the slowest on the same host before the others began and after they stopped.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionView } from "../packages/narratoria/src/story/session-view.ts";
import { DONE, makeStory } from "../packages/narratoria/test/made-story.ts";
import { serve, type Serving } from "../packages/narratoria/test/serve-process.ts";
import type { Benchmark, Row } from "./compare.ts";

const benchmark: Benchmark = { title: "The slowest answer of a quiet session among 199 greedy ones", run };
export default benchmark;

const NEIGHBOURS = 199;
const ANSWERS = 8;
const MOST = 3;
const POLL_MS = 2;

const ASKED = {
  "to look at the story": (server: Serving, quiet: string) => ask(server, "GET", `/api/sessions/${quiet}`),
  "a turn that is told": (server: Serving, quiet: string) => play(server, quiet, "listen"),
  "a turn with a tool": (server: Serving, quiet: string) => play(server, quiet, "light"),
};

async function run(): Promise<Row[]> {
  const burn = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
  const line = `echo '{"version":"0","type":"log","level":"info","message":"more"}'`;
  const hog = `#!/bin/sh\nn=0; while [ $n -lt 20 ]; do ${burn}; ${line}; n=$((n+1)); done\n${DONE}\n`;
  const tools = Array.from({ length: 4 }, (_, n) => ({ toolId: `hog${n}`, toolPath: "hog", async: true }));
  using story = makeStory({
    "story.json": { title: "The Crowd", narrator: "stub" },
    "plans.json": [
      { opening: true, narrative: "A crowd." },
      { match: "listen", narrative: "You listen." },
      { match: "light", plan: { tools: [{ toolId: "light", toolPath: "light" }] }, narrative: "Light." },
      { match: "hog", plan: { parallel: true, tools }, narrative: "More." },
    ],
    "tools/light": `#!/bin/sh\n${DONE}\n`,
    "tools/hog": hog,
  });
  const server = await serve(["--port", "0", "--data", `${story.path}/../data`, "--story", story.path]);
  try {
    const quiet = await begin(server);
    const neighbours: string[] = [];
    for (let count = 0; count < NEIGHBOURS; count++) neighbours.push(await begin(server));
    const before = await slowestAnswers(server, quiet);
    let isOver = false;
    const greedy = neighbours.map(async (sessionId) => {
      while (!isOver) await play(server, sessionId, "hog", 3_000);
    });
    await sleep(2_000);
    const among = await slowestAnswers(server, quiet);
    isOver = true;
    for (const sessionId of neighbours) await ask(server, "POST", `/api/sessions/${sessionId}/cancel`, {});
    await Promise.all(greedy);
    const after = await slowestAnswers(server, quiet);
    return among.map(({ name, slowest }, index) => {
      const baseline = Math.max(before[index]?.slowest ?? 0, after[index]?.slowest ?? 0);
      const target = { met: slowest <= baseline * MOST, text: `at most ${MOST}x` };
      return { name, measured: slowest, baseline, unit: "ms", target };
    });
  } finally {
    await server.end("SIGTERM");
  }
}

async function slowestAnswers(server: Serving, quiet: string): Promise<{ name: string; slowest: number }[]> {
  const answers: { name: string; slowest: number }[] = [];
  for (const [name, answer] of Object.entries(ASKED)) {
    let slowest = 0;
    for (let count = 0; count < ANSWERS; count++) {
      const asked = performance.now();
      await answer(server, quiet);
      slowest = Math.max(slowest, performance.now() - asked);
      await sleep(50);
    }
    answers.push({ name, slowest });
  }
  return answers;
}

/** Until it has ended; asks every so often. */
async function play(server: Serving, sessionId: string, text: string, everyMs = POLL_MS): Promise<void> {
  await ask(server, "POST", `/api/sessions/${sessionId}/prompts`, { text });
  for (;;) {
    const { body } = await ask(server, "GET", `/api/sessions/${sessionId}`);
    if ((body as SessionView).turns.at(-1)?.status !== "running") return;
    await sleep(everyMs);
  }
}

async function ask(server: Serving, ...question: Parameters<Serving["api"]>): ReturnType<Serving["api"]> {
  return server.api(...question);
}

async function begin(server: Serving): Promise<string> {
  const { body } = await ask(server, "POST", "/api/sessions", {});
  const { sessionId } = body as SessionView;
  await server.until(sessionId, ({ turns }) => turns.at(-1)?.status === "completed");
  return sessionId;
}
