/** Warm Python processes: each call is a fresh copy of one that has imported the module, and nobody can tell. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import type { ProcessPoolOptions } from "../src/runners/process-pool.ts";
import type { MountRunner } from "../src/runners/mount-runner.ts";
import { createPythonRunner } from "../src/runners/python/runner.ts";
import type { Sandbox } from "../src/runtime/seams/sandbox.ts";
import { callPython, createPythonStory } from "./python-story.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

describe.each(["full", "none"])("with the sandbox at %s", (level) => {
  let sandbox: Sandbox;
  const launches: string[][] = [];
  const runners: MountRunner[] = [];
  beforeAll(async () => {
    const real = await sandboxOfLevel(level);
    sandbox = {
      ...real,
      launch: (program) => {
        launches.push([...program.command]);
        return real.launch(program);
      },
    };
  });
  afterAll(async () => {
    for (const runner of runners) await runner.close();
    await sandbox.close();
  });

  function startRunner(options: Partial<ProcessPoolOptions> = {}): MountRunner {
    launches.length = 0;
    const runner = createPythonRunner({ sandbox, ...options });
    runners.push(runner);
    return runner;
  }

  /** Files written this very moment may be newer than the process that read them: such a process is not kept. */
  async function settledStory(text: string): Promise<ReturnType<typeof createPythonStory>> {
    const story = createPythonStory({ "tool.py": text });
    await sleep(100);
    return story;
  }

  test("[Y1.1] a second call uses the same process's import, in a process of its own", async () => {
    const runner = startRunner();
    using story = await settledStory(COUNTS);
    const calls: JsonObject[] = [];
    for (let n = 0; n < 4; n++) calls.push((await callPython(runner, story.mount("tool:run"))).output as JsonObject);
    expect(launches).toHaveLength(1);
    expect(calls.map(({ calls: count }) => count)).toEqual([1, 1, 1, 1]);
    expect(new Set(calls.map(({ imported }) => imported)).size).toBe(1);
    expect(new Set(calls.map(({ pid }) => pid)).size).toBe(4);
    expect(new Set(calls.map(({ drawn }) => drawn)).size).toBe(4);
    expect(calls.map(({ files }) => files)).toEqual([[], [], [], []]);
  });

  test("[Y1.2] what was printed at import is printed by every call", async () => {
    const runner = startRunner();
    using story = await settledStory("print('imported')\ndef run(payload):\n    print('called')\n");
    for (let n = 0; n < 3; n++) {
      expect((await callPython(runner, story.mount("tool:run"))).logs).toEqual(["imported", "called"]);
    }
    expect(launches).toHaveLength(1);
  });

  test("changed code is imported anew: the module, and what it imports", async () => {
    const runner = startRunner();
    using story = await settledStory("import other\ndef run(payload):\n    return ['a', other.NAME]\n");
    story.write("other.py", "NAME = 1\n");
    await sleep(20);
    const call = async (): Promise<unknown> => (await callPython(runner, story.mount("tool:run"))).output;
    expect(await call()).toEqual(["a", 1]);
    story.write("other.py", "NAME = 2\n");
    expect(await call()).toEqual(["a", 2]);
    story.write("tool.py", "def run(payload):\n    return 'b'\n");
    expect(await call()).toBe("b");
    story.write("tool.py", "def run(payload) return\n");
    expect((await callPython(runner, story.mount("tool:run"))).outcome).toBe("failed tool_failure SyntaxError");
    story.write("tool.py", "def run(payload):\n    return open('data.txt').read()\n");
    story.write("data.txt", "one");
    await sleep(20);
    expect([await call(), await call()]).toEqual(["one", "one"]);
    story.write("data.txt", "two");
    expect(await call()).toBe("two");
  });

  test("a module that starts threads when imported is imported by every call", async () => {
    const runner = startRunner();
    using story = await settledStory(THREADS);
    const outputs = [];
    for (let n = 0; n < 3; n++) outputs.push((await callPython(runner, story.mount("tool:run"))).output);
    // The first process finds out; the second serves them all, each with an import of its own.
    expect(launches).toHaveLength(2);
    expect(outputs).toEqual([2, 2, 2]);
  });

  test("calls at the same time do not wait for each other", async () => {
    const runner = startRunner();
    const body = "import time\ndef run(payload):\n    print('here')\n    time.sleep(payload['seconds'])\n";
    using story = await settledStory(body);
    const call = (seconds: number, onPrint?: () => void): Promise<unknown> =>
      callPython(runner, story.mount("tool:run"), {
        input: { seconds },
        timeoutMs: 60_000,
        sink: () => {
          onPrint?.();
          return undefined;
        },
      });
    let long: Promise<unknown> | undefined;
    await new Promise<void>((isHere) => {
      long = call(50, isHere);
    });
    await call(0);
    expect(launches).toHaveLength(2);
    await runner.close();
    expect(await long).toMatchObject({ outcome: "failed process_error SIGNALLED" });
  });

  test("other grants, secrets or stories are other processes", async () => {
    const runner = startRunner();
    using story = await settledStory("import os\ndef run(payload):\n    return os.environ.get('KEY')\n");
    const call = async (secrets: Record<string, string>): Promise<unknown> =>
      (await callPython(runner, story.mount("tool:run"), { secrets })).output;
    expect([await call({ KEY: "one" }), await call({}), await call({ KEY: "two" })]).toEqual(["one", null, "two"]);
    expect(launches).toHaveLength(3);
  });

  test("one that has nothing to do ends", async () => {
    const runner = startRunner({ idleMs: 30 });
    using story = await settledStory("def run(payload):\n    return 1\n");
    await callPython(runner, story.mount("tool:run"));
    await sleep(300);
    await callPython(runner, story.mount("tool:run"));
    expect(launches).toHaveLength(2);
  });

  test("a call that kills the process it comes from fails alone", async () => {
    const runner = startRunner();
    using story = await settledStory("import os\ndef run(payload):\n    os.kill(os.getppid(), 9)\n");
    for (let n = 0; n < 2; n++) {
      expect((await callPython(runner, story.mount("tool:run"))).outcome).toBe("failed process_error SIGNALLED");
    }
    story.write("tool.py", "def run(payload):\n    return 1\n");
    expect((await callPython(runner, story.mount("tool:run"))).outcome).toBe("completed");
  });

  test("a module that tampers with what it imports does not disturb the process that forks", async () => {
    const runner = startRunner();
    using story = await settledStory(TAMPERS);
    for (let n = 0; n < 2; n++) {
      const run = await callPython(runner, story.mount("tool:run"));
      expect([run.outcome, run.output]).toEqual(["completed", "unharmed"]);
    }
    expect(launches).toHaveLength(1);
  });
});

test("one that died while it waited is replaced, and nobody notices", async () => {
  const runner = createPythonRunner({ sandbox: await sandboxOfLevel("none") });
  using story = createPythonStory({ "tool.py": "import os\ndef run(payload):\n    return os.getppid()\n" });
  await sleep(20);
  const first = (await callPython(runner, story.mount("tool:run"))).output as number;
  expect((await callPython(runner, story.mount("tool:run"))).output).toBe(first);
  process.kill(first, "SIGKILL");
  const next = await callPython(runner, story.mount("tool:run"));
  await runner.close();
  expect(next.outcome).toBe("completed");
  expect(next.output).not.toBe(first);
});

test("[K1.5] what a tool wrote under a grant is there when its call has ended", async () => {
  const sandbox = await sandboxOfLevel("full");
  const runner = createPythonRunner({ sandbox });
  using story = createPythonStory({ "tool.py": "def run(payload):\n    open('out/made.txt', 'w').write('made')\n" });
  mkdirSync(join(story.path, "out"));
  const tool = story.mount("tool:run", { capabilities: ["fs.write:out"] });
  expect((await callPython(runner, tool)).outcome).toBe("completed");
  expect(readFileSync(join(story.path, "out/made.txt"), "utf8")).toBe("made");
  await runner.close();
  await sandbox.close();
});

/** Leaves traces everywhere it can, and tells which it finds. */
const COUNTS = `import os, random, tempfile, uuid
IMPORTED = uuid.uuid4().hex
calls = 0
def run(payload):
    global calls
    calls += 1
    folder = os.environ["NARRATORIA_ASSET_DIR"]
    confined = tempfile.gettempdir() == "/tmp" and os.environ.get("HOME") == "/tmp"
    places = [folder, "/tmp"] if confined else []
    found = [name for place in places for name in os.listdir(place) if name.startswith("left")]
    for place in places:
        os.makedirs(os.path.join(place, "left-" + uuid.uuid4().hex, "deeper"), mode=0o100)
    return {"calls": calls, "imported": IMPORTED, "pid": os.getpid(), "drawn": random.random(), "files": found}
`;

const THREADS = `import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
def run(payload):
    return threading.active_count()
`;

const TAMPERS = `import json, os, select, signal
os.fork = json.dumps = json.loads = os.waitpid = os.read = os.kill = None
select.poll = None
os.environ["NARRATORIA_ASSET_DIR"] = "/nowhere"
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def run(payload):
    return "unharmed" if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN else "harmed"
`;
