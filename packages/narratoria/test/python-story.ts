/** A story folder with Python tools written in the test, and one call of such a tool, as the runtime would make it. */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Json, JsonObject } from "@narratoria/tool/json";
import { mountManifest } from "../src/runtime/mounts/read-manifest.ts";
import type { ResolvedTool } from "../src/runtime/seams/resolved-tool.ts";
import type { MountedCall, MountRunner } from "../src/runners/mount-runner.ts";
import type { AttemptPort, AttemptReport } from "../src/runtime/seams/tool-runner.ts";
import { portTo } from "./attempt-port.ts";

export interface PythonStory extends Disposable {
  path: string;
  /** Writes a file; dedents nothing, so write Python from the first column. */
  write(name: string, text: string): string;
  /** Mounts `entry` of a module in this folder. */
  mount(entry: string, more?: JsonObject): ResolvedTool;
}

export function createPythonStory(files: Readonly<Record<string, string>> = {}): PythonStory {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-python-")));
  const write = (name: string, text: string): string => {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    path,
    write,
    mount: (entry, more = {}) => {
      const manifest = { name: "greeter", kind: "tool", protocol: "namel3ss/1", entry, transport: { type: "stdio" } };
      const reading = mountManifest({ ...manifest, capabilities: [], ...more }, path, path);
      if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
      return reading.tool;
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

export interface PythonRun {
  report: AttemptReport;
  /** The messages of the log lines. */
  logs: string[];
  /** What came of it in one short string. */
  outcome: string;
  output: Json | undefined;
}

export interface CallOptions extends Partial<Omit<MountedCall, "mount">> {
  storyDir?: string;
  secrets?: Record<string, string>;
  sink?: AttemptPort["take"];
  signal?: AbortSignal;
}

export async function callPython(
  runner: MountRunner,
  tool: ResolvedTool,
  options: CallOptions = {},
): Promise<PythonRun> {
  const { sink, signal = new AbortController().signal, storyDir = tool.dir, secrets = {}, ...call } = options;
  const logs: string[] = [];
  const report = await runner.run(
    {
      requestId: randomUUID(),
      mount: { tool, storyDir, secrets },
      operation: "run",
      input: {},
      dependencies: {},
      state: {},
      storyTitle: "The Story",
      sessionId: null,
      timeoutMs: 10_000,
      ...call,
    },
    portTo((received) => {
      if (received.event.type === "log") logs.push(received.event.message);
      return sink?.(received);
    }),
    signal,
  );
  const { outcome } = report;
  const inWords =
    outcome.kind === "completed" ? "completed" : `${outcome.kind} ${outcome.error.category} ${outcome.error.code}`;
  return { report, logs, outcome: inWords, output: report.output };
}

export function messageOf({ outcome }: AttemptReport): string {
  return outcome.kind === "completed" ? "" : outcome.error.message;
}
