/** Stories that want to take the host down, told by a real one: the others go on playing, and SIGTERM still ends it. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sessionCreated } from "../src/server/view-schemas.ts";
import type { SessionView } from "../src/story/session-view.ts";
import { makeStory, type MadeStory } from "./made-story.ts";
import { isAlive } from "./processes.ts";
import { createPlayground, serve, type Playground, type Serving } from "./serve-process.ts";
import { readEvents } from "./served-app.ts";

/** Says a string that was doubled so many times. */
const doubling = (times: number): string => `VAR s = "abcdefgh"
Here.
+ [Grow] -> grow(${times})
+ [Loop] -> loop
+ [Rest] You rest. -> END
== grow(n)
{ n == 0:
  {s}
  -> END
}
~ s = s + s
-> grow(n - 1)
== loop
{true: -> loop}
-> loop
`;
/** Which limit it meets first depends on the machine. */
const ANY_LIMIT = /its process ended|it took longer than|it came to more than/;
const STUMBLED = "The story stumbles";

describe("[Z1.7] no story makes the host unresponsive to others or stops it", () => {
  let playground: Playground;
  let serving: Serving;
  beforeAll(async () => {
    playground = createPlayground();
    serving = await serve(["--port", "0", "--story", playground.story, "--data", playground.data]);
  });
  afterAll(async () => {
    await serving.end("SIGKILL");
    playground[Symbol.dispose]();
  });

  /** Types into a hostile story while somebody else plays the other one. */
  async function attack(story: MadeStory, prompt: string): Promise<SessionView> {
    const hostile = await newSession(serving, { story: story.path });
    const other = await newSession(serving, {});
    await serving.api("POST", `/api/sessions/${hostile}/prompts`, { text: prompt });
    expect(await say(serving, other, "light")).toMatchObject({ state: { lamp: { lit: true } } });
    const view = await serving.until(hostile, isIdle);
    expect(await say(serving, other, "light")).toMatchObject({ turnCount: 3 });
    return view;
  }

  test.each([
    ["doubles a string for ever", "grow", doubling(60), ANY_LIMIT],
    ["tells a text of 8 MB", "grow", doubling(20), ANY_LIMIT],
    ["loops for ever", "loop", doubling(1), /it took longer than \d+ ms/],
  ])("ink that %s ends in kind words, and the story goes on", async (_, prompt, ink, why) => {
    using story = makeStory({ "story.ink": ink });
    const view = await attack(story, prompt);
    expect(textOf(view)).toContain(STUMBLED);
    expect(await failureOf(serving, view.sessionId)).toMatch(why);
    expect(view.choices.map(({ label }) => label)).toContain("Rest");
    expect(textOf(await say(serving, view.sessionId, "rest"))).toBe("You rest.");
  });
});

describe("[Z1.7] a host whose story hangs", () => {
  /** A host with a story that is looping right now, and the process it loops in. */
  async function startLooping(playground: Playground, story: MadeStory): Promise<{ host: Serving; process: number }> {
    const host = await serve(["--port", "0", "--story", story.path, "--data", playground.data], {
      SECRET_KEY: "s3cret",
    });
    const sessionId = await newSession(host, {});
    await host.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "loop" });
    const [process = 0] = childrenOf(host.pid).filter((pid) => commandOf(pid).includes("story-process"));
    expect(process).toBeGreaterThan(0);
    return { host, process };
  }

  test.each(["SIGTERM", "SIGKILL"] as const)("ends at %s, and its process with it", async (signal) => {
    using playground = createPlayground();
    using story = makeStory({ "story.ink": doubling(1) });
    const { host, process } = await startLooping(playground, story);
    expect(readFileSync(`/proc/${process}/environ`, "utf8")).not.toContain("s3cret");
    expect(await host.end(signal)).toBe(signal === "SIGTERM" ? 0 : null);
    while (isAlive(process)) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});

async function newSession({ api, until }: Serving, body: object): Promise<string> {
  const made = await api("POST", "/api/sessions", body);
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const { sessionId } = sessionCreated.parse(made.body);
  await until(sessionId, isIdle);
  return sessionId;
}

async function say({ api, until }: Serving, sessionId: string, text: string): Promise<SessionView> {
  await api("POST", `/api/sessions/${sessionId}/prompts`, { text });
  return until(sessionId, isIdle);
}

/** What the log says of the narrator. */
async function failureOf({ url, token }: Serving, sessionId: string): Promise<string> {
  const address = `${url}/api/sessions/${sessionId}/events`;
  const reader = await readEvents(address, { authorization: `Bearer ${token}` });
  await reader.sees('"narrator_failed"');
  reader.close();
  return /"code":"narrator_failed","message":"([^"]*)"/.exec(reader.text())?.[1] ?? "";
}

function isIdle(view: SessionView): boolean {
  return view.turns.length > 0 && view.turns.every(({ status }) => status !== "running");
}

function textOf(view: SessionView): string {
  const passages = view.turns.at(-1)?.passages ?? [];
  return passages.flatMap((passage) => (passage.kind === "text" ? [passage.text] : [])).join("\n\n");
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8");
}
