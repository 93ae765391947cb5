/** Runs `narratoria` as people and scripts do: a process of its own, read from outside. */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FIXTURES } from "./run-fixture.ts";

const COMMAND = fileURLToPath(new URL("../bin/narratoria.js", import.meta.url));

export interface CommandRun {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  /** Called with each line of stdout as it arrives. */
  onLine?: (line: string, command: RunningCommand) => void;
  /** Besides our own. */
  env?: NodeJS.ProcessEnv;
  /** Another copy of it, another Node, another account. */
  command?: string;
  node?: string;
  account?: { uid?: number; gid?: number };
}

export interface RunningCommand {
  interrupt(): void;
  /** As `| head -1` does. */
  stopReading(): void;
}

export function narratoria(args: readonly string[], options: CommandOptions = {}): Promise<CommandRun> {
  const { onLine, env = {}, node = process.execPath, account = {} } = options;
  const child = spawn(node, [options.command ?? COMMAND, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    ...account,
    env: { ...process.env, ...env },
  });
  const command = { interrupt: () => void child.kill("SIGINT"), stopReading: () => void child.stdout.destroy() };
  let stdout = "";
  let stderr = "";
  let lineStart = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (let end = stdout.indexOf("\n", lineStart); end !== -1; end = stdout.indexOf("\n", lineStart)) {
      onLine?.(stdout.slice(lineStart, end), command);
      lineStart = end + 1;
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((settle, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => settle({ exitCode, stdout, stderr }));
  });
}

export interface StoryFolder extends Disposable {
  path: string;
  file(name: string, content: string | object): string;
}

/** A story folder of its own with all the fixtures in it: what still runs there afterwards was left behind. */
export function createStoryFolder(name = "story"): StoryFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-run-")));
  const path = join(root, name);
  cpSync(FIXTURES, path, { recursive: true });
  return {
    path,
    file: (fileName, content) => {
      const file = join(path, fileName);
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
      return file;
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
