/** Modules are started by those who tell a story, not by a plan: the same is asked about them, before anything runs. */
import { copyFileSync, existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { openSessions, type Host, type SessionsOptions } from "../src/create-narratoria.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { ok } from "./scripted-host.ts";

const MODULE = fileURLToPath(new URL("./fixtures/modules/storyteller.mjs", import.meta.url));
const KEY = "NARRATORIA_TEST_KEY";

const mount = (name: string, kind: string, needs: string[] = []): object => ({
  ...{ name, kind, protocol: "amplifier/1", capabilities: needs },
  transport: { type: "stdio", command: ["node", `${name}.mjs`] },
});

/** Told by a module, with a tool that is one too; whoever is started leaves a trace in the story's folder. */
function storyOf(capabilities: string[], more: object[] = []): string {
  const mounts = [mount("storyteller", "orchestrator"), mount("weather", "tool", capabilities), ...more];
  const dir = makeStoryFolder({ "story.json": JSON.stringify({ narrator: "module", mounts }) }, ["bell"]);
  copyFileSync(MODULE, join(dir, "told.mjs"));
  const leaving = (name: string): string => `import { writeFileSync } from "node:fs";
    writeFileSync("${name}-started", process.env.${KEY} ?? "");`;
  writeFileSync(join(dir, "storyteller.mjs"), `${leaving("storyteller")}\nawait import("./told.mjs");\n`);
  for (const name of OTHERS) writeFileSync(join(dir, `${name}.mjs`), leaving(name));
  return dir;
}

const OTHERS = ["weather", "keeper", "watcher", "gate"];
const started = (dir: string): string[] =>
  ["storyteller", ...OTHERS].filter((name) => existsSync(join(dir, `${name}-started`)));

let host: Host;
afterEach(async () => {
  delete process.env[KEY];
  await host.close();
});

/** Opens a session and answers each question; the texts of the opening scene and the questions come back. */
async function open(
  storyDir: string,
  answer: string,
  options: SessionsOptions,
): Promise<{ asked: string[]; told: string }> {
  host = await openSessions({ storyDir, sandbox: "none", mayAsk: true, ...options });
  const { sessionId } = ok(await host.create({}));
  const asked = new Map<string, string>();
  let isOver = false;
  const over = host.idle(sessionId).then(() => (isOver = true));
  while (!isOver) {
    for (const { askId, question } of ok(await host.view(sessionId)).asks) {
      if (asked.has(askId)) continue;
      asked.set(askId, question);
      ok(await host.answer(sessionId, askId, answer));
    }
    await new Promise((go) => setImmediate(go));
  }
  await over;
  const { turns } = ok(await host.view(sessionId));
  return { asked: [...asked.values()], told: JSON.stringify(turns[0]?.passages) };
}

const QUESTION = "The tools of this story would run without the full sandbox. Let them?";

describe("[Z1.6] below the full sandbox, the module that tells a story", () => {
  test("is asked about, once, and runs when it was confirmed", async () => {
    const dir = storyOf([]);
    const { asked, told } = await open(dir, "once", {});
    expect([asked, told]).toEqual([[QUESTION], expect.stringContaining("it begins")]);
    expect(started(dir)).toContain("storyteller");
  });

  test("does not run when it was not, nor do the tools it would have been told of", async () => {
    const dir = storyOf([]);
    const { asked } = await open(dir, "no", {});
    expect([asked, started(dir)]).toEqual([[QUESTION], []]);
  });

  test("does not run where nobody can be asked", async () => {
    const dir = storyOf([]);
    const { asked } = await open(dir, "once", { mayAsk: false });
    expect([asked, started(dir)]).toEqual([[], []]);
  });

  test("does not run, nor do a gate, an observer or what keeps the context, until somebody confirmed it", async () => {
    const gate = { ...mount("gate", "hook"), gate: true, events: ["turn:start"] };
    const dir = storyOf([], [mount("keeper", "context"), mount("watcher", "hook"), gate]);
    await open(dir, "no", { mayAsk: false });
    const [session] = await host.list();
    ok(await host.prompt(session?.sessionId ?? "", "ring"));
    await host.idle(session?.sessionId ?? "");
    expect(started(dir)).toEqual([]);
  });

  test("does not run because another story was confirmed that a link led to", async () => {
    const [confirmed, other] = [storyOf([]), storyOf([])];
    const link = join(storyOf([]), "link");
    symlinkSync(confirmed, link);
    await open(link, "once", {});
    rmSync(link);
    symlinkSync(other, link);
    const { sessionId } = ok(await host.create({}));
    await host.view(sessionId);
    await expect
      .poll(async () => ok(await host.view(sessionId)).asks.map(({ question }) => question))
      .toEqual([QUESTION]);
    expect([started(confirmed), started(other)]).toEqual([["storyteller", "weather"], []]);
  });
});

describe("[K1.5] a tool that a narrator is told of", () => {
  test("is not started to say what it takes, before it was granted what it needs", async () => {
    process.env[KEY] = "swordfish";
    const dir = storyOf(["net.fetch", `secrets.read:${KEY}`]);
    const { told } = await open(dir, "no", { allowUnconfined: true });
    expect(told).toContain("it begins");
    expect(started(dir)).toEqual(["storyteller"]);
  });

  test("and is when it may", async () => {
    const dir = storyOf([]);
    await open(dir, "no", { allowUnconfined: true });
    expect(started(dir)).toEqual(["storyteller", "weather"]);
  });
});
