/** Runs one fixture tool through a runner, the way the runtime would, and keeps what came out. */
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { bareTool } from "../src/runtime/mounts/resolve-tool.ts";
import { DEFAULT_LIMITS, type ToolLimits } from "../src/runtime/seams/sandbox.ts";
import type { MountedCall, MountRunner } from "../src/runners/mount-runner.ts";
import type { AttemptPort, AttemptReport, ReceivedEvent } from "../src/runtime/seams/tool-runner.ts";
import { portTo } from "./attempt-port.ts";

export const FIXTURES = fileURLToPath(new URL("./fixtures/tools/", import.meta.url));

export interface FixtureRun {
  report: AttemptReport;
  events: ToolEvent[];
  received: ReceivedEvent[];
}

export interface FixtureOptions extends Partial<Omit<MountedCall, "mount">> {
  storyDir?: string;
  secrets?: Record<string, string>;
  command?: string[];
  limits?: Partial<ToolLimits>;
  grants?: string[];
  readFolders?: string[];
  sink?: AttemptPort["take"];
  signal?: AbortSignal;
}

export async function runFixture(runner: MountRunner, name: string, options: FixtureOptions = {}): Promise<FixtureRun> {
  const received: ReceivedEvent[] = [];
  const { sink, signal } = options;
  const report = await runner.run(
    fixtureCall(name, options),
    portTo((event) => {
      received.push(event);
      return sink?.(event);
    }),
    signal ?? new AbortController().signal,
  );
  return { report, received, events: received.map(({ event }) => event) };
}

export function fixtureCall(name: string, options: FixtureOptions = {}): MountedCall {
  const { command = [FIXTURES + name], limits, grants = [], readFolders = [], sink: _, signal: __, ...more } = options;
  const { storyDir = FIXTURES, secrets = {}, ...call } = more;
  return {
    requestId: randomUUID(),
    mount: {
      tool: {
        ...bareTool(FIXTURES + name, name),
        command,
        limits: { ...DEFAULT_LIMITS, ...limits },
        needs: grants,
        readFolders,
      },
      storyDir,
      secrets,
    },
    operation: "run",
    input: {},
    dependencies: {},
    state: {},
    storyTitle: "Fixtures",
    sessionId: null,
    timeoutMs: 10_000,
    ...call,
  };
}

/** The outcome in one short string: what a table of expectations compares. */
export function outcomeOf({ outcome }: AttemptReport): string {
  return outcome.kind === "completed" ? "completed" : `${outcome.kind} ${outcome.error.category} ${outcome.error.code}`;
}
