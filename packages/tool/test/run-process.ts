/** Runs a real tool process to its end and reads every line it printed the way a host would. */
import { spawn } from "node:child_process";
import { createLineSplitter } from "../src/ndjson.ts";
import { parseToolEvent, type ToolEvent } from "../src/protocol.ts";

export interface ProcessRun {
  exitCode: number | null;
  /** What stdout held, event by event; anything that is none fails the run. */
  events: ToolEvent[];
  stderr: string;
}

export interface RunOptions {
  args?: string[];
  /** What goes to stdin: text as it is, anything else as one line of JSON. */
  stdin?: unknown;
  env?: Record<string, string>;
  cwd?: string;
}

export function runProcess(command: string, options: RunOptions = {}): Promise<ProcessRun> {
  const { args = [], stdin = {}, env = {}, cwd = process.cwd() } = options;
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
  const splitter = createLineSplitter();
  const events: ToolEvent[] = [];
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => {});
  child.stdin.end(typeof stdin === "string" ? stdin : `${JSON.stringify(stdin)}\n`);

  return new Promise((resolve, reject) => {
    const take = (frames: ReturnType<typeof splitter.push>): void => {
      for (const frame of frames) {
        const reading = frame.kind === "line" ? parseToolEvent(frame.text) : frame;
        if (reading.kind === "event") events.push(reading.event);
        else reject(new Error(`line ${frame.number}: ${reading.code}, ${reading.reason}\n${stderr}`));
      }
    };
    child.stdout.on("data", (chunk: Buffer) => take(splitter.push(chunk)));
    child.on("error", reject);
    child.on("close", (exitCode) => {
      take(splitter.end());
      resolve({ exitCode, events, stderr });
    });
  });
}

/** Exactly one done, and nothing behind it. */
export function endsWithOneDone(events: readonly ToolEvent[]): boolean {
  return events.filter((event) => event.type === "done").length === 1 && events.at(-1)?.type === "done";
}
