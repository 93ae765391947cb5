/** The Python SDK in real processes, read by the same parser the host uses. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { endsWithOneDone, runProcess, type ProcessRun, type RunOptions } from "./run-process.ts";

const SDK_FOLDER = fileURLToPath(new URL("../../../sdks/python", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "python-sdk-"));
afterAll(() => rmSync(folder, { recursive: true }));
let written = 0;

function runPython(handlerBody: string, options: RunOptions = {}): Promise<ProcessRun> {
  const path = join(folder, `tool-${++written}.py`);
  const body = handlerBody.replaceAll("\n", "\n    ");
  writeFileSync(
    path,
    `import json, os, subprocess, sys\nfrom narratoria_tool import run, ToolError\n\n` +
      `def main(input, emit, call):\n    ${body}\n\nrun(main)\n`,
  );
  // LC_ALL=C: the events are UTF-8 whatever the locale says.
  const env = { PYTHONPATH: SDK_FOLDER, PYTHONDONTWRITEBYTECODE: "1", LC_ALL: "C", ...options.env };
  return runProcess("python3", { ...options, env, args: [path, ...(options.args ?? [])] });
}

describe("the Python SDK", () => {
  test("[T3.1] each method is its event", async () => {
    const { events, exitCode } = await runPython(
      [
        `emit.log("warn", "Careful, " + input["who"], depth=3)`,
        `emit.progress(0.5, "half")`,
        `emit.progress(3, total=4)`,
        `emit.patch({"a": {"b": None}, "r": call.request_id, "state": call.state, "dep": call.dependencies})`,
        `emit.asset("note", "text/plain", data=b"hello", metadata={"words": 1})`,
        `emit.choices(["Open", {"label": "Leave"}], prompt="Now?")`,
        `emit.ui("shake")`,
        `emit.error("MINOR", "Nothing bad.")`,
        `return "Fertig: äöü 🔥"`,
      ].join("\n"),
      {
        stdin: { requestId: "r", input: { who: "Ädä" }, context: { dependencies: { x: null }, state: { y: 1 } } },
        env: { NARRATORIA_ASSET_DIR: folder },
      },
    );
    expect(events).toEqual([
      { version: "0", type: "log", level: "warn", message: "Careful, Ädä", fields: { depth: 3 } },
      { version: "0", type: "log", level: "info", message: "half", fields: { progress: 0.5 } },
      { version: "0", type: "log", level: "info", message: "75 %", fields: { current: 3, total: 4 } },
      { version: "0", type: "state_patch", patch: { a: { b: null }, r: "r", state: { y: 1 }, dep: { x: null } } },
      {
        version: "0",
        type: "asset",
        assetId: "note",
        kind: "text",
        mediaType: "text/plain",
        path: join(folder, "note"),
        metadata: { words: 1 },
      },
      {
        version: "0",
        type: "ui_event",
        event: "narrative_choice",
        payload: { choices: ["Open", { label: "Leave" }], prompt: "Now?" },
      },
      { version: "0", type: "ui_event", event: "shake" },
      { version: "0", type: "error", errorCode: "MINOR", errorMessage: "Nothing bad." },
      { version: "0", type: "done", ok: true, summary: "Fertig: äöü 🔥" },
    ]);
    expect(readFileSync(join(folder, "note"), "utf8")).toBe("hello");
    expect(exitCode).toBe(0);
  });

  test.each([
    ["an exception", `raise ValueError("Missing input")`, "ValueError", "Missing input"],
    ["an exception without a message", `raise KeyError()`, "KeyError", "KeyError"],
    ["a ToolError", `raise ToolError("TORCH_WET", "Too wet.")`, "TORCH_WET", "Too wet."],
    ["NaN", `emit.patch({"hp": float("nan")})`, "ValueError", expect.any(String)],
    ["a patch that is no dict", `emit.patch([1])`, "TypeError", expect.stringContaining("patch")],
    ["a set", `emit.patch({"s": {1}})`, "TypeError", expect.any(String)],
    ["an empty message", `emit.info("")`, "TypeError", expect.stringContaining("message")],
    ["a malformed media type", `emit.asset("a", "png", path="/x")`, "TypeError", expect.stringContaining("mediaType")],
    ["a wrong result", `return 42`, "TypeError", expect.any(String)],
    ["details that are no JSON", `raise ToolError("X", "x", {"s": {1}})`, "X", "x"],
  ])("[T4.5] %s is error, then done", async (_what, body, code, message) => {
    const { events, exitCode } = await runPython(body);
    expect(events).toEqual([
      { version: "0", type: "error", errorCode: code, errorMessage: message },
      { version: "0", type: "done", ok: false, summary: message },
    ]);
    expect(exitCode).toBe(0);
  });

  test("[T4.6] sys.exit still ends with one done and keeps its code", async () => {
    const { events, exitCode } = await runPython(`sys.exit(3)`);
    expect(events).toMatchObject([
      { type: "error", errorCode: "EXITED_EARLY" },
      { type: "done", ok: false },
    ]);
    expect(exitCode).toBe(3);
  });

  test("prints, raw writes and child processes cannot corrupt the events", async () => {
    const { events, stderr } = await runPython(
      [
        `print("printed")`,
        `os.write(1, b"raw\\n")`,
        `subprocess.run(["echo", "child"])`,
        `emit.info("between")`,
        `print("after")`,
      ].join("\n"),
    );
    expect(events.map((event) => event.type)).toEqual(["log", "done"]);
    for (const text of ["printed", "raw", "child", "after"]) expect(stderr).toContain(text);
  });

  test("[T2.4] 20,000 events all arrive in order", async () => {
    const { events } = await runPython(`for n in range(20000): emit.info("event", n=n)`);
    expect(endsWithOneDone(events)).toBe(true);
    expect(events.slice(0, -1).every((event, n) => event.type === "log" && event.fields?.["n"] === n)).toBe(true);
    expect(events.length).toBe(20_001);
  });

  test("[T2.1] half a surrogate pair is escaped", async () => {
    const { events } = await runPython(`emit.info("\\udc80 odd")`);
    expect(events[0]).toMatchObject({ message: "\udc80 odd" });
  });

  test("[T1.3] no input, an argument instead, and no JSON", async () => {
    const body = `return json.dumps(input)`;
    expect((await runPython(body, { stdin: "" })).events).toMatchObject([{ ok: true, summary: "{}" }]);
    expect((await runPython(body, { stdin: "", args: [`{"a":1}`] })).events).toMatchObject([{ summary: `{"a": 1}` }]);
    expect((await runPython(body, { stdin: "{oops" })).events).toMatchObject([
      { type: "error", errorCode: "INVALID_INPUT" },
      { type: "done", ok: false },
    ]);
  });
});
