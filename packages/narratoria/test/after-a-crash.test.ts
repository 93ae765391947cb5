/** What a host that was killed leaves behind, at every level: it ends with the host, or the next one sweeps it. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { SessionView } from "../src/story/session-view.ts";
import { makeStory, type MadeStory } from "./made-story.ts";
import { processesMentioning } from "./processes.ts";
import { serve, type Serving } from "./serve-process.ts";
import { LEVELS, environmentOfLevel } from "./served-level.ts";

const MODULES = fileURLToPath(new URL("./fixtures/modules/", import.meta.url));

/** A module that stays when its input ends, and a tool that fills its folders and sleeps. */
function makeStubbornStory(mark: string): MadeStory {
  const plan = (name: string): object => {
    return { match: name, plan: { tools: [{ toolId: name, toolPath: name, operation: "echo" }] }, narrative: "." };
  };
  const transport = { type: "stdio", command: ["node", `${mark}.mjs`] };
  const story = makeStory({
    "story.json": {
      title: "The Guest Who Stayed",
      narrator: "stub",
      mounts: [{ name: "mirror", kind: "tool", protocol: "amplifier/1", capabilities: [], transport }],
    },
    "plans.json": [{ opening: true, narrative: "A guest." }, plan("mirror"), plan("hoard")],
    [`${mark}.mjs`]: `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); await import("./mirror-stdio.mjs");\n`,
    "tools/hoard": `#!/bin/sh\ntrap '' TERM\ncd "$NARRATORIA_ASSET_DIR"\nhead -c 100000 /dev/zero > hoard\n: ${mark}\nwhile :; do sleep 1; done\n`,
  });
  for (const file of ["mirror.mjs", "mirror-stdio.mjs"]) copyFileSync(join(MODULES, file), join(story.path, file));
  return story;
}

async function playUntilItHoards(server: Serving, mark: string): Promise<void> {
  const { body } = await server.api("POST", "/api/sessions", {});
  const { sessionId } = body as SessionView;
  await server.until(sessionId, ({ turns }) => turns.at(-1)?.status === "completed");
  await server.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "mirror" });
  const { turns } = await server.until(sessionId, ({ turns: [, turn] }) => turn?.status === "completed");
  expect(turns.at(-1)?.tools).toMatchObject([{ status: "completed" }]);
  await server.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "hoard" });
  await expect.poll(() => processesMentioning("tools/hoard").length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(processesMentioning(mark)).not.toEqual([]);
}

function wardenOf(host: number): number {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  const isIts = (pid: string): boolean =>
    read(`/proc/${pid}/cmdline`).includes("narratoria-warden") && read(`/proc/${pid}/stat`).includes(`) S ${host} `);
  return Number(pids.find(isIts) ?? Number.NaN);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

describe.for(LEVELS)("[Z1.4] when a host is killed at level %s", (level) => {
  test.each(["its warden", "the next host"])(
    "%s ends its tools and modules, and the next one sweeps its folders",
    async (who) => {
      const mark = `stubborn-${randomUUID()}`;
      using story = makeStubbornStory(mark);
      const data = join(story.path, "../data");
      const temporary = join(story.path, "../tmp");
      mkdirSync(temporary, { mode: 0o755 });
      // Also the sandbox's user has its folders there.
      chmodSync(join(story.path, ".."), 0o755);
      const { args, env } = environmentOfLevel(level, join(story.path, "../bin"));
      const start = (): Promise<Serving> =>
        serve(["--port", "0", "--data", data, "--story", story.path, ...args], { ...env, TMPDIR: temporary });
      const killed = await start();
      await playUntilItHoards(killed, mark);
      mkdirSync(join(data, "assets/incoming"), { recursive: true, mode: 0o700 });
      writeFileSync(join(data, "assets/incoming", randomUUID()), "half an asset");
      if (who === "the next host") process.kill(wardenOf(killed.pid), "SIGKILL");
      await killed.end("SIGKILL");
      expect(readdirSync(temporary)).not.toEqual([]);
      const running = (): string[] => processesMentioning(mark);
      if (who === "its warden") await expect.poll(running, { timeout: 20_000 }).toEqual([]);

      const next = await start();
      try {
        await expect.poll(running, { timeout: 20_000 }).toEqual([]);
        const ofTheDead = (): string[] => readdirSync(temporary).filter((name) => !name.includes(`-${next.pid}.`));
        await expect.poll(ofTheDead, { timeout: 20_000 }).toEqual([]);
        const incoming = join(data, "assets/incoming");
        expect(existsSync(incoming) ? readdirSync(incoming) : []).toEqual([]);
      } finally {
        await next.end("SIGTERM");
      }
      expect(readdirSync(temporary)).toEqual([]);
    },
    90_000,
  );
});
