/** The library as a program has it: what it can bring, what it hears, and how it is refused. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterEach, describe, expect, test } from "vitest";
import {
  accepted,
  CannotOpen,
  openNarratoria,
  openPlanRunner,
  openToRead,
  type BroughtRunner,
  type Clock,
  type Narratoria,
  type NarratoriaOptions,
  type NarratorAnswer,
  type NarratorQuestion,
} from "../src/index.ts";
import { createApp } from "../src/server/index.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";

const folders: string[] = [];
const hosts: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "library-"));
  folders.push(made);
  return made;
}

/** A folder whose story is told by a narrator that the program brings. */
function storyToldBy(narrator: string, more: object = {}): string {
  const story = folder();
  writeFileSync(join(story, "story.json"), JSON.stringify({ title: `Told by ${narrator}`, narrator, ...more }));
  return story;
}

async function open(options: NarratoriaOptions): Promise<Narratoria> {
  const narratoria = await openNarratoria({ sandbox: "none", allowUnconfined: true, ...options });
  hosts.push(narratoria);
  return narratoria;
}

/** Of a class on purpose: its methods are not its own properties. */
class Echo {
  next({ prompt, plans }: NarratorQuestion): Promise<NarratorAnswer> {
    const planned = prompt?.startsWith("use ") === true && plans.length === 0;
    if (planned)
      return Promise.resolve({ kind: "plan", plan: { tools: [{ toolId: "t", toolPath: prompt.slice(4) }] } });
    return Promise.resolve({ kind: "end", narrative: prompt ?? "Well?", choices: [], memory: null });
  }
}
const narrators = { echo: () => new Echo() };

describe("what a program brings", () => {
  test("[N1.1] a narrator tells the stories that name it, and what it throws is a problem of the story", async () => {
    const story = storyToldBy("echo");
    const broken = storyToldBy("broken");
    const { sessions } = await open({
      stories: [story, broken],
      narrators: {
        ...narrators,
        broken: () => {
          throw new Error("no voice today");
        },
      },
    });
    expect((await sessions.stories()).map(({ title }) => title)).toEqual(["Told by echo", "Told by broken"]);
    const opening = accepted(await sessions.begin());
    expect(opening).toMatchObject({ text: "Well?", status: "completed", ending: null });
    expect(accepted(await sessions.say(opening.sessionId, "hello"))).toMatchObject({ text: "hello" });
    expect(await sessions.begin({ storyDir: broken })).toMatchObject({
      kind: "refused",
      details: { problems: [{ file: "story.json", pointer: "/narrator", message: "no voice today" }] },
    });
  });

  test("a runner for a protocol runs its tools; only `run` is needed", async () => {
    class Rememberer implements BroughtRunner {
      readonly inputs: unknown[] = [];
      run: BroughtRunner["run"] = async ({ input, operation }, port) => {
        this.inputs.push({ operation, input });
        await port.take({
          event: { version: "0", type: "state_patch", patch: { ran: true } },
          text: "{}",
          warnings: [],
        });
        const outcome = { kind: "completed", summary: "remembered" } as const;
        const nothing = { exitCode: null, signal: null, stderrTail: "", warnings: [], eventsAfterDone: 0, trace: {} };
        return { outcome, sandbox: "none", ...nothing };
      };
    }
    const runner = new Rememberer();
    const transport = { type: "http", url: "http://127.0.0.1:9/none" };
    const mount = { name: "far", kind: "tool", protocol: "mcp", transport, capabilities: [] };
    const story = storyToldBy("echo", { mounts: [mount] });
    const { sessions } = await open({
      stories: [story],
      narrators,
      runners: { mcp: runner },
      policy: { sandbox: "any", grants: { far: ["net.fetch"] } },
    });
    const { sessionId } = accepted(await sessions.begin());
    expect(accepted(await sessions.say(sessionId, "use far")).state).toEqual({ ran: true });
    expect(runner.inputs).toEqual([{ operation: "run", input: {} }]);
  });

  test("a store, a clock and ids: the same run twice writes the same log", async () => {
    async function play(): Promise<unknown[]> {
      let ids = 0;
      const clock: Clock = {
        now: () => 1_700_000_000_000,
        elapsed: () => 0,
        sleep: () => Promise.resolve(),
        after: () => ({ cancel: () => {} }),
      };
      const store = openSqliteStore(":memory:");
      const newId = (): string => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`;
      const narratoria = await open({ stories: [story], narrators, store, clock, newId });
      const { sessionId } = accepted(await narratoria.sessions.begin({ title: "Twice" }));
      await narratoria.sessions.say(sessionId, "hello");
      // What the store has, read before it is closed with the host.
      const stored = store.eventsAfter(sessionId, 0, 1_000).map((event) => event.event());
      await narratoria.close();
      return stored.map((event) => ("seed" in event.data ? { ...event, data: { ...event.data, seed: 0 } } : event));
    }
    const story = storyToldBy("echo");
    const first = await play();
    expect(first.length).toBeGreaterThan(4);
    expect(await play()).toEqual(first);
  });

  test("[K1.4] hooks hear what happens, and have a say", async () => {
    const narratoria = await open({ stories: [storyToldBy("echo")], narrators });
    const heard: string[] = [];
    narratoria.hooks.register({
      name: "ear",
      events: ["turn:*"],
      priority: 1,
      observe: ({ event }) => void heard.push(event),
    });
    const gate = narratoria.hooks.register({
      name: "no",
      events: ["turn:start"],
      priority: 2,
      gate: () => ({ action: "deny", reason: "not now" }),
    });
    const { sessionId } = accepted(await narratoria.sessions.begin());
    expect(accepted(await narratoria.sessions.say(sessionId, "hello")).notice).toContain("not now");
    gate.remove();
    expect(accepted(await narratoria.sessions.say(sessionId, "hello")).text).toBe("hello");
    await expect.poll(() => heard.filter((event) => event === "turn:end").length).toBe(3);
  });
});

describe("what a program brings by mistake", () => {
  const wrong: [object, RegExp][] = [
    [{ dataFolder: "/tmp" }, /^there is no option dataFolder; there are dataDir, /],
    [{ dataDir: "" }, /^the option dataDir must be the path of a folder$/],
    [{ stories: "my-story" }, /^the option stories must be a list of folders, of one at least$/],
    [{ stories: [] }, /^the option stories must be/],
    [{ slots: 0 }, /^the option slots must be a whole number from 1 on$/],
    [{ slots: Number.NaN }, /^the option slots/],
    [{ sandbox: "full" }, /^the option sandbox must be an object with launch\(\) and close\(\)$/],
    [
      { policy: { grants: { lamp: ["everything"] } } },
      /^the option policy has \/grants\/lamp, which must be a list of/,
    ],
    [{ policy: { grant: {} } }, /^the option policy has \/grant, which is no field of a policy/],
    [
      { runners: { amplifier: { run: () => {} } } },
      /^the option runners has amplifier, which is none of the protocols/,
    ],
    [{ runners: { mcp: {} } }, /^the option runners has mcp, which must be an object with run\(\)$/],
    [{ narrators: { echo: new Echo() } }, /^the option narrators has echo, which must be a function$/],
    [{ clock: { now: Date.now } }, /^the option clock must be an object with elapsed\(\) and sleep\(\) and after\(\)$/],
    [{ newId: "id" }, /^the option newId must be a function$/],
    [{ store: {} }, /^the option store must be an object with append/],
    [{ mayAsk: "yes" }, /^the option mayAsk must be true or false$/],
  ];
  test.each(wrong)("%o is named", async (options, words) => {
    await expect(openNarratoria(options)).rejects.toThrow(words);
    await expect(openNarratoria(options)).rejects.toThrow(TypeError);
  });

  test("plans alone take less", async () => {
    await expect(openPlanRunner({ stories: ["/tmp"] } as object)).rejects.toThrow("there is no option stories");
  });

  test("a store that fails when it is opened leaves nothing behind", async () => {
    const temporary = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder();
    const store = openSqliteStore(":memory:");
    const failing = {
      ...store,
      runningTurns: () => {
        throw new Error("not today");
      },
    };
    await expect(open({ store: failing })).rejects.toThrow("not today");
    expect(readdirSync(process.env["TMPDIR"])).toEqual([]);
    if (temporary === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = temporary;
    store.close();
  });
});

describe("the events of a session", () => {
  test("come in order, what was and what happens, and end with the host", async () => {
    const narratoria = await open({ stories: [storyToldBy("echo")], narrators });
    const { sessionId } = accepted(await narratoria.sessions.begin());
    const events = accepted(await narratoria.sessions.events(sessionId));
    const seen: number[] = [];
    const names: string[] = [];
    const reading = (async () => {
      for await (const event of events) {
        seen.push(event.seq ?? 0);
        names.push(event.event);
      }
    })();
    // More than wait for a reader at once.
    for (let turn = 0; turn < 40; turn++) await narratoria.sessions.say(sessionId, `turn ${turn}`);
    await expect.poll(() => names.filter((name) => name === "turn:end").length).toBe(41);
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    await narratoria.close();
    await reading;

    expect(names[0]).toBe("session:start");
  });

  test("come after a number, and end when the loop is left, by the signal, or are refused", async () => {
    const { sessions } = await open({ stories: [storyToldBy("echo")], narrators });
    const { sessionId } = accepted(await sessions.begin());
    for await (const event of accepted(await sessions.events(sessionId, { after: 2 }))) {
      expect(event.seq).toBe(3);
      break;
    }
    const stop = new AbortController();
    const stopped = accepted(await sessions.events(sessionId, { signal: stop.signal }));
    let count = 0;
    for await (const _ of stopped) if (++count === 3) stop.abort();
    expect(count).toBe(3);
    expect(await sessions.events("nobody")).toMatchObject({ kind: "refused", code: "not_found" });
    expect(() => accepted({ kind: "refused", code: "not_found", message: "gone" } as const)).toThrow("gone");
  });
});

describe("plans without sessions", () => {
  const tool = '#!/bin/sh\necho \'{"version":"0","type":"done","ok":true,"summary":"hi"}\'\n';

  test("run, are refused before anything runs, and stop with their signal", async () => {
    const storyDir = folder();
    writeFileSync(join(storyDir, "hi.sh"), tool, { mode: 0o755 });
    writeFileSync(join(storyDir, "slow.sh"), "#!/bin/sh\nsleep 600\n", { mode: 0o755 });
    const runner = await openPlanRunner({ sandbox: "none" });
    hosts.push(runner);
    const plan = (toolPath: string): object => ({ requestId: "r", tools: [{ toolId: "a", toolPath }] });
    const names: string[] = [];
    const options = {
      storyDir,
      allowUnconfined: true,
      onEvent: ({ event }: { event: string }) => void names.push(event),
    };
    const run = await runner.runPlan(plan("./hi.sh"), options);
    expect(run).toMatchObject({ kind: "ran", result: { success: true, toolResults: [{ toolId: "a" }] } });
    if (run.kind === "ran") expect(run.record()).toMatchObject({ recording: 0, calls: [{ tool: "hi" }] });
    expect(names).toEqual(expect.arrayContaining(["tool:start", "tool:end", "plan:end"]));

    expect(await runner.runPlan(plan("/bin/rm"), options)).toMatchObject({
      kind: "invalid",
      problems: [{ code: "PATH_FORBIDDEN" }],
    });
    expect(await runner.runPlan(plan("./hi.sh"), { ...options, storyDir: "/" })).toMatchObject({ kind: "refused" });
    const nowhere = await runner.runPlan(plan("./hi.sh"), { ...options, storyDir: join(storyDir, "none") });
    expect(nowhere).toMatchObject({ kind: "refused", message: expect.stringContaining("there is no folder") });

    const stop = new AbortController();
    const onEvent = ({ event }: { event: string }): void => {
      if (event === "tool:start") stop.abort();
    };
    const stopped = await runner.runPlan(plan("./slow.sh"), { ...options, onEvent, signal: stop.signal });
    expect(stopped).toMatchObject({ kind: "ran", result: { success: false, canReplan: false } });
  });
});

describe("a data folder", () => {
  test("has one host at a time, and can be looked at beside it", async () => {
    const dataDir = folder();
    const first = await open({ dataDir, stories: [storyToldBy("echo")], narrators });
    const { sessionId } = accepted(await first.sessions.begin());
    await expect(openNarratoria({ dataDir })).rejects.toThrow(CannotOpen);
    const beside = await openToRead(dataDir);
    expect(accepted(await beside.view(sessionId)).turnCount).toBe(1);
    await beside.close();
    await first.close();
    await first.close();
    const second = await open({ dataDir });
    expect((await second.sessions.list()).map((session) => session.sessionId)).toEqual([sessionId]);
  });

  test("that cannot be written is refused in words", async () => {
    const file = join(folder(), "file");
    writeFileSync(file, "");
    await expect(openNarratoria({ dataDir: join(file, "data") })).rejects.toThrow(CannotOpen);
  });
});

test("[Z1.1] routes that are put below a path without being given the rest of it are shut", async () => {
  const { sessions, tools } = await open({ stories: [storyToldBy("echo")], narrators });
  const app = createApp({ sessions, tools, token: "a token of some length 0123456789" });
  const outer = new Hono().route("/stories", app);
  const outside = new Hono().all("/stories/*", ({ req }) =>
    app.fetch(new Request(req.url.replace("/stories", ""), req.raw)),
  );
  const sessionsBelow = "http://127.0.0.1/stories/api/sessions";
  expect((await outer.request(sessionsBelow)).status).toBe(404);
  expect((await outside.request(sessionsBelow)).status).toBe(401);
  expect((await outside.request("http://127.0.0.1/stories/api/health")).status).toBe(200);
});
