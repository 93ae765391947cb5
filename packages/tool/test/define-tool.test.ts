/** `defineTool` in real processes: whatever the handler does, the host sees valid events and exactly one done. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { endsWithOneDone, runProcess, type ProcessRun, type RunOptions } from "./run-process.ts";

const SDK = new URL("../src/index.ts", import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), "define-tool-"));
afterAll(() => rmSync(folder, { recursive: true }));
let written = 0;

function writeTool(body: string): string {
  const path = join(folder, `tool-${++written}.mts`);
  writeFileSync(path, `import { defineTool, ToolError } from ${JSON.stringify(SDK)};\n${body}\n`);
  return path;
}

function runTool(body: string, options: RunOptions = {}): Promise<ProcessRun> {
  return runProcess(process.execPath, { ...options, args: [writeTool(body), ...(options.args ?? [])] });
}

const failure = (code: string, message: unknown): object[] => [
  { version: "0", type: "error", errorCode: code, errorMessage: message },
  { version: "0", type: "done", ok: false, summary: message },
];

describe("what a handler is given", () => {
  test("[T1.3] the input, and the call around it", async () => {
    const { events } = await runTool(
      `defineTool<{ who: string }>({}, (input, emit, call) => {
        const { requestId, tool, operation, dependencies, state, assetDir } = call;
        emit.patch({ who: input.who, requestId, tool, operation, dependencies, state, assetDir });
        return "Done, " + input.who;
      });`,
      {
        stdin: {
          requestId: "r-1",
          tool: "greeter",
          operation: "greet",
          input: { who: "Ädä 🔥" },
          context: { dependencies: { a: null, b: { x: 1 } }, state: { y: 2 } },
          later: "ignored",
        },
        env: { NARRATORIA_ASSET_DIR: folder },
      },
    );
    expect(events).toEqual([
      {
        version: "0",
        type: "state_patch",
        patch: {
          who: "Ädä 🔥",
          requestId: "r-1",
          tool: "greeter",
          operation: "greet",
          dependencies: { a: null, b: { x: 1 } },
          state: { y: 2 },
          assetDir: folder,
        },
      },
      { version: "0", type: "done", ok: true, summary: "Done, Ädä 🔥" },
    ]);
  });

  test("[T1.3] nothing on stdin is an empty input", async () => {
    const body = `defineTool({}, (input, emit, call) => JSON.stringify([input, call.operation, call.state]));`;
    const { events, exitCode } = await runTool(body, { stdin: "" });
    expect(events).toEqual([{ version: "0", type: "done", ok: true, summary: `[{},"run",null]` }]);
    expect(exitCode).toBe(0);
  });

  test("run by hand, the first argument is the input", async () => {
    const body = `defineTool({}, (input) => JSON.stringify(input));`;
    const { events } = await runTool(body, { stdin: "", args: [`{"action":"x"}`] });
    expect(events).toEqual([{ version: "0", type: "done", ok: true, summary: `{"action":"x"}` }]);
  });

  test.each([
    ["{oops", "no JSON"],
    ["[1]", "no JSON object"],
    [`{"input":"text"}`, `"input" is no JSON object`],
  ])("stdin %s is an error and a done", async (stdin, reason) => {
    const { events, exitCode } = await runTool(`defineTool({}, () => "never");`, { stdin });
    expect(events).toEqual(failure("INVALID_INPUT", expect.stringContaining(reason)));
    expect(exitCode).toBe(0);
  });

  test("parse checks and types the input", async () => {
    const body = `const parse = (input: Record<string, unknown>): { n: number } => {
        const n = input["n"];
        if (typeof n !== "number") throw new ToolError("BAD_INPUT", "n must be a number", { got: String(n) });
        return { n };
      };
      defineTool({ parse }, ({ n }) => String(n + 1));`;
    expect((await runTool(body, { stdin: { input: { n: 1 } } })).events).toMatchObject([{ ok: true, summary: "2" }]);
    expect((await runTool(body, { stdin: {} })).events).toMatchObject([
      { type: "error", errorCode: "BAD_INPUT", details: { got: "undefined" } },
      { type: "done", ok: false },
    ]);
  });
});

describe("how a tool ends", () => {
  test.each([
    [`return undefined`, { ok: true }],
    [`return "Lit."`, { ok: true, summary: "Lit." }],
    [`return { ok: false, summary: "No." }`, { ok: false, summary: "No." }],
    [`return { summary: "Yes." }`, { ok: true, summary: "Yes." }],
  ])("[T4.6] %s", async (statement, done) => {
    const { events, exitCode } = await runTool(`defineTool({}, async () => { ${statement}; });`);
    expect(events).toEqual([{ version: "0", type: "done", ...done }]);
    expect(exitCode).toBe(0);
  });

  test.each([
    ["an error", `throw new RangeError("too far")`, "RangeError", "too far"],
    ["an error with a code", `throw new ToolError("TORCH_WET", "Too wet.")`, "TORCH_WET", "Too wet."],
    [
      "a system error",
      `(await import("node:fs")).readFileSync("/no/such")`,
      "ENOENT",
      expect.stringContaining("ENOENT"),
    ],
    ["an error without a message", `throw new Error()`, "Error", "Error"],
    ["a string", `throw "plain"`, "Error", "plain"],
    ["undefined", `throw undefined`, "Error", "undefined"],
    ["an object without a prototype", `throw Object.create(null)`, "TypeError", expect.any(String)],
    ["a wrong result", `return 42 as never`, "TypeError", expect.stringContaining("returns")],
    ["a wrong summary", `return { summary: 42 } as never`, "TypeError", expect.stringContaining("summary")],
    ["details that are no JSON", `throw new ToolError("X", "x", { n: 1n } as never)`, "X", "x"],
  ])("[T4.5] %s thrown or returned is error, then done", async (_what, statement, code, message) => {
    const { events, exitCode } = await runTool(`defineTool({}, async () => { ${statement}; });`);
    expect(events).toEqual(failure(code, message));
    expect(exitCode).toBe(0);
  });

  test.each([
    [
      "an uncaught exception in a timer",
      `setTimeout(() => { throw new Error("in a timer"); }); await new Promise(() => {})`,
      "Error",
      0,
    ],
    [
      "an unhandled rejection",
      `void Promise.reject(new Error("lost")); await new Promise((r) => setTimeout(r, 60_000))`,
      "Error",
      0,
    ],
    ["process.exit", `process.exit(0)`, "EXITED_EARLY", 0],
    ["process.exit(3)", `process.exit(3)`, "EXITED_EARLY", 3],
    ["a promise that never settles", `await new Promise(() => {})`, "NEVER_FINISHED", 0],
  ])("[T4.6] %s still ends with one done", async (_what, statement, code, expectedExit) => {
    const { events, exitCode } = await runTool(
      `defineTool({}, async (_, emit) => { emit.info("on"); ${statement}; });`,
    );
    expect(events.map((event) => event.type)).toEqual(["log", "error", "done"]);
    expect(events[1]).toMatchObject({ errorCode: code });
    expect(events[2]).toMatchObject({ ok: false });
    expect(exitCode).toBe(expectedExit);
  });

  test("[T5.4] a timer left running does not keep the tool alive", async () => {
    const { events, exitCode } = await runTool(`defineTool({}, () => { setInterval(() => {}, 1000); return "ok"; });`);
    expect(events).toMatchObject([{ type: "done", ok: true }]);
    expect(exitCode).toBe(0);
  });

  test("[T4.6] what is emitted after done is not sent", async () => {
    const body = `let later: () => void = () => {};
      process.on("exit", () => later());
      defineTool({}, (_, emit) => { later = () => emit.info("too late"); return "ok"; });`;
    const { events, stderr } = await runTool(body);
    expect(events.map((event) => event.type)).toEqual(["done"]);
    expect(stderr).toContain("too late");
  });

  test("an exit code the author set is kept", async () => {
    const { exitCode } = await runTool(`defineTool({}, () => { process.exitCode = 4; });`);
    expect(exitCode).toBe(4);
  });
});

describe("what reaches stdout", () => {
  test("[T2.4] 100,000 events all arrive, in order, before the exit", async () => {
    const body = `defineTool({}, (_, emit) => { for (let n = 0; n < 100_000; n++) emit.info("event", { n }); });`;
    const { events } = await runTool(body);
    expect(endsWithOneDone(events)).toBe(true);
    expect(events.length).toBe(100_001);
    const misplaced = events.slice(0, -1).findIndex((event, n) => event.type !== "log" || event.fields?.["n"] !== n);
    expect(misplaced).toBe(-1);
  });

  test("[T2.4] one line of 5 MB arrives whole, also when the tool exits at once", async () => {
    const { events } = await runTool(`defineTool({}, (_, emit) => { emit.info("x".repeat(5e6)); process.exit(); });`);
    expect(events[0]).toMatchObject({ type: "log", message: "x".repeat(5e6) });
    expect(endsWithOneDone(events)).toBe(true);
  });

  test("[T2.4] a full pipe that does not block is waited for", async () => {
    // Touching process.stdout makes the descriptor non-blocking: a write to a full pipe then fails with EAGAIN.
    const body = `void process.stdout;
      defineTool({}, (_, emit) => { for (let n = 0; n < 20; n++) emit.info("x".repeat(1e6), { n }); });`;
    const { events } = await runTool(body);
    expect(events.map((event) => (event.type === "log" ? event.message.length : event.type))).toEqual([
      ...Array<number>(20).fill(1e6),
      "done",
    ]);
  });

  test("console.log and process.stdout.write go to stderr", async () => {
    const body = `defineTool({}, (_, emit) => {
        console.log("log"); console.info("info"); console.debug("debug"); console.dir({ dir: 1 }); console.table([1]);
        process.stdout.write("written\\n");
        emit.info("between");
        console.log("after");
      });`;
    const { events, stderr } = await runTool(body);
    expect(events.map((event) => event.type)).toEqual(["log", "done"]);
    for (const text of ["log", "info", "debug", "dir: 1", "written", "after"]) expect(stderr).toContain(text);
  });

  test.each([
    ["an empty message", `emit.info("")`, "message"],
    ["a patch that is no object", `emit.patch([] as never)`, "patch"],
    ["a malformed media type", `emit.asset({ assetId: "a", mediaType: "png", path: "/x" })`, "mediaType"],
    ["NaN, which JSON would turn into a removal", `emit.patch({ hp: 0 / 0 })`, "NaN"],
    ["a patch nested too deep", `let p: any = {}; for (let i = 0; i < 300; i++) p = { p }; emit.patch(p)`, "256"],
    ["a circular patch", `const p: any = {}; p.p = p; emit.patch(p)`, "circular"],
  ])("[T3.2] %s is refused before it is printed", async (_what, statement, word) => {
    const { events } = await runTool(`defineTool({}, (_, emit) => { ${statement}; });`);
    expect(events).toEqual(failure("TypeError", expect.stringContaining(word)));
  });

  test("[T4.3] bytes given as an asset are a file in the asset folder", async () => {
    const body = `defineTool({}, (_, emit) => {
        emit.asset({ assetId: "a", mediaType: "text/plain", bytes: "hello" });
      });`;
    const { events } = await runTool(body, { env: { NARRATORIA_ASSET_DIR: folder } });
    expect(events[0]).toMatchObject({ type: "asset", kind: "text", path: join(folder, "a") });
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("hello");
  });

  test("a host that stops listening ends the tool quietly", async () => {
    const path = writeTool(`defineTool({}, (_, emit) => { for (;;) emit.info("still here"); });`);
    const child = spawn(process.execPath, [path], { stdio: ["pipe", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.end("{}\n");
    child.stdout.once("data", () => child.stdout.destroy());
    const exitCode = await new Promise((resolve) => child.on("close", resolve));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });
});
