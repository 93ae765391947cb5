/** Python functions called here: what they return, raise, print and do to their process, with a real Python. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "@narratoria/tool/json";
import { startPythonServer } from "../src/runners/python/python-server.ts";
import type { MountRunner } from "../src/runners/mount-runner.ts";
import { createPythonRunner } from "../src/runners/python/runner.ts";
import { DEFAULT_LIMITS, type Sandbox } from "../src/runtime/seams/sandbox.ts";
import { processesMentioning } from "./processes.ts";
import { callPython, createPythonStory, messageOf, type CallOptions, type PythonRun } from "./python-story.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

describe.each(["full", "partial", "none"])("with the sandbox at %s", (level) => {
  let sandbox: Sandbox;
  let runner: MountRunner;
  beforeAll(async () => {
    sandbox = await sandboxOfLevel(level);
    runner = createPythonRunner({ sandbox });
  });
  afterAll(async () => {
    await runner.close();
    await sandbox.close();
  });

  async function callBody(body: string, options: CallOptions = {}, more: JsonObject = {}): Promise<PythonRun> {
    using story = createPythonStory({ "tool.py": body });
    return await callPython(runner, story.mount("tool:run", more), options);
  }

  test("[Y1.1] the function gets the payload, its result is the output", async () => {
    using story = createPythonStory({ "tools/sample_tool.py": GREETER });
    const run = await callPython(runner, story.mount("tools.sample_tool:greet"), { input: { name: "Ada" } });
    expect(run.outcome).toBe("completed");
    expect(run.output).toEqual({ message: "Hello Ada", ok: true });
    expect(run.report).toMatchObject({ exitCode: 0, signal: null, sandbox: level, eventsAfterDone: 0 });
  });

  test.each([
    ["nothing_here:run", "ModuleNotFoundError", "No module named 'nothing_here'"],
    ["tool:missing", "AttributeError", "module 'tool' has no attribute 'missing'"],
    ["tool:NUMBER", "TypeError", "tool:NUMBER is no function"],
    ["tool", "ValueError", `entry must be "module:function", not 'tool'`],
    [":run", "ValueError", `entry must be "module:function", not ':run'`],
  ])("[Y1.1] the entry %s is a %s", async (entry, type, message) => {
    using story = createPythonStory({ "tool.py": "NUMBER = 1\nprint('here')\ndef run(payload):\n    return 1\n" });
    const run = await callPython(runner, story.mount(entry));
    expect(run.outcome).toBe(`failed tool_failure ${type}`);
    expect(messageOf(run.report)).toBe(message);
    // An entry that is none is refused before anything of the tool's runs.
    expect(run.logs).toEqual(entry.startsWith("tool:") ? ["here"] : []);
  });

  test.each([
    ['ValueError("Missing input")', "ValueError", "Missing input"],
    ["ValueError()", "ValueError", "Tool error"],
    ["KeyboardInterrupt()", "KeyboardInterrupt", "Tool error"],
    ["Unspeakable()", "Unspeakable", "Tool error"],
  ])("[T5.10] raising %s", async (raised, type, message) => {
    const rude = "class Unspeakable(Exception):\n    def __str__(self):\n        raise RuntimeError\n";
    const run = await callBody(`${rude}def run(payload):\n    raise ${raised}\n`);
    expect(run.outcome).toBe(`failed tool_failure ${type}`);
    expect(messageOf(run.report)).toBe(message);
    expect(run.report.stderrTail).toContain("tool.py");
    expect(run.report.stderrTail).not.toContain("tool_host.py");
  });

  test.each([
    ["{1, 2}", "TypeError", "type set"],
    ["object()", "TypeError", "type object"],
    ["(x for x in [])", "TypeError", "type generator"],
    ["circle", "ValueError", "contains itself"],
    ["deep", "ValueError", "nested too deep"],
    ["float('nan')", "ValueError", "NaN or Infinity"],
    ["[float('inf')]", "ValueError", "NaN or Infinity"],
    ["Decimal('NaN')", "ValueError", "NaN or Infinity"],
    ["Decimal('-Infinity')", "ValueError", "NaN or Infinity"],
    ["b'bytes'", "TypeError", "type bytes"],
    ["{(1, 2): 3}", "TypeError", "keys must be"],
  ])("[Y1.3] returning %s", async (value, type, message) => {
    const setting = "circle = []\ncircle.append(circle)\ndeep = []\nfor _ in range(100000):\n    deep = [deep]\n";
    const run = await callBody(`from decimal import Decimal\n${setting}def run(payload):\n    return ${value}\n`);
    expect(run.outcome).toBe(`failed tool_failure ${type}`);
    expect(messageOf(run.report)).toContain(message);
  });

  test.each<[string, Json]>([
    ["Decimal('3.0')", 3],
    ["Decimal('1.50')", "1.5"],
    ["(1, (2,))", [1, [2]]],
    ["None", null],
    ["'\\u00e9\\u2028\\ud83d\\ude00'.encode('utf-16', 'surrogatepass').decode('utf-16')", "é\u2028😀"],
    ["{'__proto__': 1}", JSON.parse('{"__proto__": 1}') as Json],
  ])("[Y1.1] %s is %j", async (value, expected) => {
    const run = await callBody(`from decimal import Decimal\ndef run(payload):\n    return ${value}\n`);
    expect(run.outcome).toBe("completed");
    expect(run.output).toEqual(expected);
  });

  test("[Y1.2] whatever is printed, and by whom, becomes log lines", async () => {
    const run = await callBody(PRINTS);
    expect(run.outcome).toBe("completed");
    expect(run.output).toBe("fine");
    const own = ["at import", "in the function", '{"ok": false}', "past Python", "from a child", "at the exit"];
    expect(run.logs).toEqual([...own.slice(0, 1), expect.stringContaining("not valid UTF-8"), ...own.slice(1)]);
    expect(run.report.stderrTail).toBe("to stderr\n");
  });

  test.each([
    ["sys.exit(0)", "NO_RESPONSE", 0],
    ["os._exit(0)", "NO_RESPONSE", 0],
    ["sys.exit(3)", "EXIT_NONZERO", 3],
    ["sys.exit('broken')", "EXIT_NONZERO", 1],
    ["os.kill(os.getpid(), 9)", "SIGNALLED", null],
    ["os.kill(os.getpid(), 11)", "SIGNALLED", null],
  ])("[Y1.6] %s", async (how, code, exitCode) => {
    const run = await callBody(
      `import os, sys\ndef run(payload):\n    print("last words", file=sys.stderr)\n    ${how}\n`,
    );
    expect(run.outcome).toBe(`failed process_error ${code}`);
    expect(run.report.exitCode).toBe(exitCode);
    expect(run.report.stderrTail).toContain("last words");
  });

  test.each(["sys.exit(3)", "os._exit(3)", "os.kill(os.getpid(), 9)"])(
    "[Y1.6] %s at import ends the call, not the host",
    async (how) => {
      const run = await callBody(`import os, sys\n${how}\ndef run(payload):\n    return 1\n`);
      expect(run.outcome).toMatch(/^failed process_error (EXIT_NONZERO|SIGNALLED)$/);
    },
  );

  test("[Y1.6] a result, and then a crash, is a crash", async () => {
    const run = await callBody("import atexit, os\natexit.register(os._exit, 4)\ndef run(payload):\n    return 1\n");
    expect(run.outcome).toBe("failed process_error EXIT_NONZERO");
    expect(run.output).toBeUndefined();
  });

  test("a copy that the function makes of its process does not answer too", async () => {
    const run = await callBody("import os\ndef run(payload):\n    return {'child': os.fork() == 0}\n");
    expect([run.outcome, run.output]).toEqual(["completed", { child: false }]);
  });

  test("[Y1.4] the time limit holds to the millisecond, also for grandchildren", async () => {
    const mark = `31536${process.pid}${level.length}`;
    const body = `import subprocess, time\ndef run(payload):\n    subprocess.Popen(["sleep", "${mark}"])\n    print("sleeping", flush=True)\n    time.sleep(60)\n`;
    const began = performance.now();
    const run = await callBody(body, { timeoutMs: 1_550 });
    // It sleeps for longer than this test may take.
    expect(run.outcome).toBe("timeout timeout TIMEOUT");
    expect(run.logs).toEqual(["sleeping"]);
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_549);
    expect(run.report.trace["timeout_ms"]).toBe(1_550);
    expect(processesMentioning(mark)).toEqual([]);
  });

  test("[Y1.4] an import that never ends is ended by the same limit", async () => {
    const run = await callBody("import time\ntime.sleep(60)\n", { timeoutMs: 700 });
    expect(run.outcome).toBe("timeout timeout TIMEOUT");
  });

  test("[T5.9] a grandchild that lives on does not delay the outcome, and is gone", async () => {
    const mark = `31537${process.pid}${level.length}`;
    const run = await callBody(
      `import subprocess\ndef run(payload):\n    subprocess.Popen(["sleep", "${mark}"])\n    return 1\n`,
    );
    expect(run.outcome).toBe("completed");
    expect(processesMentioning(mark)).toEqual([]);
  });

  test("[X1.6] a cancelled call ends", async () => {
    const stop = new AbortController();
    const run = await callBody("import time\ndef run(payload):\n    print('here', flush=True)\n    time.sleep(60)\n", {
      signal: stop.signal,
      sink: () => {
        stop.abort(new Error("enough"));
        return undefined;
      },
    });
    expect(run.outcome).toBe("failed process_error CANCELLED");
  });

  test("[Y1.1] protocol_version may be left out, and is refused when it is another", async () => {
    using story = createPythonStory({ "tool.py": "def run(payload):\n    return payload\n" });
    const ask = async (request: JsonObject): Promise<unknown> => {
      const program = { storyDir: story.path, readFolders: [], env: {}, limits: DEFAULT_LIMITS, grants: [] };
      const where = {
        python: "/usr/bin/python3",
        folders: [story.path],
        entry: "tool:run",
        environment: {},
        program,
        reuse: true,
      };
      const started = await startPythonServer(sandbox, where, true, new AbortController().signal);
      if (started.kind === "died") throw new Error(started.end.stderrTail);
      let text = "";
      await started.process.call(
        request,
        {},
        (kind, data) => void (text += kind === "response" ? data.toString() : ""),
      );
      await started.process.end();
      return JSON.parse(text);
    };
    expect(await ask({ entry: "tool:run", payload: { a: 1 } })).toEqual({
      ok: true,
      protocol_version: 1,
      result: { a: 1 },
    });
    const refused = (message: string): object => ({
      ok: false,
      protocol_version: 1,
      error: { type: "ValueError", message },
    });
    expect(await ask({ protocol_version: 99, entry: "tool:run" })).toEqual(
      refused("protocol_version 99 is not supported, only 1"),
    );
    expect(await ask({ protocol_version: 1 })).toEqual(refused('entry must be "module:function", not None'));
    expect(await ask({ protocol_version: 1, entry: 7 })).toEqual(refused('entry must be "module:function", not 7'));
  });

  test("[Y1.1] a .venv beside the tool brings its own Python", async () => {
    using story = createPythonStory({ "tool.py": "import sys\ndef run(payload):\n    return sys.prefix\n" });
    execFileSync("/usr/bin/python3", ["-m", "venv", "--without-pip", join(story.path, ".venv")]);
    const run = await callPython(runner, story.mount("tool:run"));
    // As root without namespaces, the tool works in a readable copy of the story.
    const home = level === "partial" ? "" : story.path;
    expect([run.outcome, run.output]).toEqual(["completed", expect.stringMatching(new RegExp(`${home}/\\.venv$`))]);
    const python_path = expect.stringMatching(new RegExp(`${home}/\\.venv/bin/python$`));
    expect(run.report.trace).toMatchObject({ python_env: "venv", python_path, deps_source: "none" });
  });

  test("[Y1.1] a .venv without a Python in it is a clear error", async () => {
    using story = createPythonStory({ "tool.py": "def run(payload):\n    return 1\n" });
    mkdirSync(join(story.path, ".venv"));
    const run = await callPython(runner, story.mount("tool:run"));
    expect(run.outcome).toBe("failed process_error SPAWN_FAILED");
    expect(messageOf(run.report)).toContain(`${story.path}/.venv has no Python in it`);
    expect(run.report.trace).toMatchObject({ python_env: "venv", python_path: join(story.path, ".venv/bin/python") });
  });

  test("[Y1.5] case 12 and the trace: every field, on failure as on success", async () => {
    const sources: [files: string[], depsSource: string][] = [
      [["pyproject.toml", "requirements.txt"], "pyproject"],
      [["requirements.txt"], "requirements"],
      [[], "none"],
    ];
    for (const [files, deps_source] of sources) {
      using story = createPythonStory({ "tool.py": "def run(payload):\n    return 1 / payload['by']\n" });
      for (const file of files) story.write(file, "");
      for (const by of [1, 0]) {
        const { report } = await callPython(runner, story.mount("tool:run"), { input: { by } });
        expect(report.outcome.kind).toBe(by === 1 ? "completed" : "failed");
        expect(report.trace).toEqual({
          runner: "local",
          resolved_source: "binding",
          timeout_ms: 10_000,
          duration_ms: expect.any(Number),
          protocol_version: 1,
          python_env: "system",
          python_path: expect.stringMatching(/^\/.*python3/),
          deps_source,
        });
      }
    }
  });

  test("[Y1.4] a result over the limit is refused", async () => {
    const run = await callBody("def run(payload):\n    return 'x' * 20_000_000\n");
    expect(run.outcome).toBe("failed protocol_violation RESPONSE_TOO_LARGE");
  });

  test("[Y1.4] 20 MB pass where the limit was raised", async () => {
    const generous = createPythonRunner({ sandbox, maxResponseBytes: 32_000_000 });
    using story = createPythonStory({ "tool.py": "def run(payload):\n    return 'x' * 20_000_000\n" });
    const run = await callPython(generous, story.mount("tool:run"));
    await generous.close();
    expect((run.output as string).length).toBe(20_000_000);
  });

  test("[T1.4] a large input arrives whole", async () => {
    const text = "é".repeat(3_000_000);
    const run = await callBody("def run(payload):\n    return len(payload['text'])\n", { input: { text } });
    expect(run.output).toBe(3_000_000);
  });

  test("[T1.6] the environment: its own request id, granted secrets, and nothing of the host's", async () => {
    process.env["NARRATORIA_TEST_KEY"] = "host-only";
    const run = await callBody("import os\ndef run(payload):\n    return dict(os.environ)\n", {
      requestId: "the-attempt",
      secrets: { WEATHER_KEY: "sunny" },
    });
    delete process.env["NARRATORIA_TEST_KEY"];
    expect(run.output).toMatchObject({ NARRATORIA_REQUEST_ID: "the-attempt", WEATHER_KEY: "sunny" });
    expect(run.output).not.toHaveProperty("NARRATORIA_TEST_KEY");
  });

  test("an error of the sink ends the call, and is thrown", async () => {
    const body = "import time\ndef run(payload):\n    print('x', flush=True)\n    time.sleep(60)\n";
    const failing = callBody(body, { sink: () => Promise.reject(new Error("the disk is full")) });
    await expect(failing).rejects.toThrow("the disk is full");
  });
});

describe("in the full sandbox", () => {
  test("[Z1.3] a Python tool has no network, and the story is read-only to it", async () => {
    const sandbox = await sandboxOfLevel("full");
    const runner = createPythonRunner({ sandbox });
    using story = createPythonStory({ "tool.py": ESCAPES });
    const run = await callPython(runner, story.mount("tool:run"));
    await runner.close();
    expect(run.output).toEqual({ network: "OSError", story: "OSError" });
    expect(readFileSync(join(story.path, "tool.py"), "utf8")).toBe(ESCAPES);
  });

  test("[T5.5] memory over the limit is OOM", async () => {
    const sandbox = await sandboxOfLevel("full");
    const runner = createPythonRunner({ sandbox });
    const hog = "import time\ndef run(payload):\n    held = bytearray(b'x' * 300_000_000)\n    time.sleep(20)\n";
    using story = createPythonStory({ "tool.py": hog });
    const run = await callPython(runner, story.mount("tool:run", { limits: { memoryMb: 128 } }));
    await runner.close();
    expect(run.outcome).toBe("failed process_error OOM");
  });
});

const GREETER = `def greet(payload):
    return {"message": f"Hello {payload['name']}", "ok": True}
`;

const PRINTS = `import atexit, os, subprocess, sys
print("at import")
os.write(1, b"\\xff\\xfe\\n")
atexit.register(print, "at the exit")
def run(payload):
    print("in the function")
    print('{"ok": false}')
    os.write(1, b"past Python\\n")
    subprocess.run(["echo", "from a child"])
    print("to stderr", file=sys.stderr)
    return "fine"
`;

const ESCAPES = `import socket
def attempt(action):
    try:
        action()
        return "worked"
    except OSError:
        return "OSError"
def run(payload):
    return {
        "network": attempt(lambda: socket.create_connection(("127.0.0.1", 22), 2)),
        "story": attempt(lambda: open(__file__, "a").write("#")),
    }
`;
