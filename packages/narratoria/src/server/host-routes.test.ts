/** Grants over HTTP: whose tool is meant where two stories have one of the same name. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFakeSessions } from "../../test/fake-sessions.ts";
import { makeStory, shellTool, type MadeStory } from "../../test/made-story.ts";
import { testPermissions } from "../../test/test-permissions.ts";
import { NOTHING_KNOWN } from "../runtime/mounts/mount-health.ts";
import { NOTHING_GRANTED } from "../runtime/policy/policy.ts";
import { createToolDirectory } from "../runtime/policy/tool-directory.ts";
import { createApp } from "./create-app.ts";
import { toolList } from "./view-schemas.ts";

const TOKEN = "correct-horse";
let inn: MadeStory;
let mill: MadeStory;
let app: ReturnType<typeof createApp>;

beforeEach(() => {
  [inn, mill] = [
    makeStory(shellTool("weather", ["net.fetch"], "")),
    makeStory(shellTool("weather", ["net.fetch"], "")),
  ];
  const about = { title: "", author: null, description: null };
  const stories = [inn, mill].map(({ path }) => ({ dir: path, ...about }));
  app = createApp({
    sessions: createFakeSessions(),
    tools: createToolDirectory(() => stories, testPermissions(NOTHING_GRANTED), NOTHING_KNOWN),
    token: TOKEN,
  });
});
afterEach(() => {
  for (const story of [inn, mill]) story[Symbol.dispose]();
});

async function call(method: string, story: string | null): Promise<[status: number, body: unknown]> {
  const query = story === null ? "" : `?story=${encodeURIComponent(story)}`;
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", host: "127.0.0.1" };
  const body = JSON.stringify({ capability: "net.fetch" });
  const response = await app.request(`/api/tools/weather/grants${query}`, { method, headers, body });
  return [response.status, await response.json()];
}

async function granted(): Promise<string[][]> {
  const headers = { authorization: `Bearer ${TOKEN}`, host: "127.0.0.1" };
  return toolList.parse(await (await app.request("/api/tools", { headers })).json()).map(({ grants }) => grants);
}

test("[Z1.5] ?story= says whose tool is granted, and the other story's of that name gets nothing", async () => {
  expect(await call("POST", null)).toMatchObject([400, { error: { message: expect.stringContaining("say which") } }]);
  expect(await call("POST", "/nowhere")).toMatchObject([404, {}]);
  expect(await granted()).toEqual([[], []]);
  expect(await call("POST", mill.path)).toEqual([200, { granted: ["net.fetch"] }]);
  expect(await granted()).toEqual([[], ["net.fetch"]]);
  expect(await call("DELETE", inn.path)).toEqual([200, { granted: [] }]);
  expect(await granted()).toEqual([[], ["net.fetch"]]);
  expect(await call("DELETE", mill.path)).toEqual([200, { granted: [] }]);
  expect(await granted()).toEqual([[], []]);
});
