/** A tool that says far too much, in a real host, while another session plays on and somebody looks at the flooded one. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionView } from "../src/story/session-view.ts";
import { FLOODS, makeFloodedStory } from "./floods.ts";
import { createPlayground, serve, type Playground, type Serving } from "./serve-process.ts";

let ground: Playground;
let story: ReturnType<typeof makeFloodedStory>;
let server: Serving;
beforeAll(async () => {
  ground = createPlayground();
  story = makeFloodedStory();
  server = await serve(["--port", "0", "--data", ground.data, "--story", story.path]);
});
afterAll(async () => {
  await server?.end("SIGTERM");
  story?.[Symbol.dispose]();
  ground?.[Symbol.dispose]();
});

test.for(FLOODS)("[Z1.7] $tries: others play on, and the session can be shown", { timeout: 300_000 }, async (flood) => {
  const [flooded, other] = [await begin(), await begin()];
  await server.api("POST", `/api/sessions/${flooded}/prompts`, { text: flood.name });
  let isOver = false;
  const over = server
    .until(flooded, ({ turns }) => turns.at(-1)?.status !== "running")
    .then((view) => {
      isOver = true;
      return view;
    });
  await server.api("POST", `/api/sessions/${other}/prompts`, { text: "wait" });
  await server.until(other, ({ turns }) => turns.length === 2 && turns.at(-1)?.status === "completed");
  expect(isOver, "the other session's turn came first").toBe(false);

  const view = await over;
  const [tool] = view.turns.at(-1)?.tools ?? [];
  // On a busy machine its time is over first.
  expect([flood.code, "TIMEOUT"]).toContain(tool?.error?.code ?? null);
  expect(view.turns.at(-1)).toMatchObject({ status: "completed" });
  // The state may be large; what tools put on the page may not.
  expect(JSON.stringify(view.turns).length).toBeLessThan(2_000_000);
});

async function begin(): Promise<string> {
  const { body } = await server.api("POST", "/api/sessions", {});
  const { sessionId } = body as SessionView;
  await server.until(sessionId, ({ turns }) => turns.at(-1)?.status === "completed");
  return sessionId;
}
