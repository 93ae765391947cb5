/** Runs Python tools, each as its manifest says: a service at a URL, a container, else a function called here. */
import { DEFAULT_MAX_LINE_BYTES } from "@narratoria/tool/ndjson";
import type { Sandbox } from "../../runtime/seams/sandbox.ts";
import type { ToolCall, ToolRunner } from "../../runtime/seams/tool-runner.ts";
import { createContainerRunner } from "./container.ts";
import type { ProcessPoolOptions } from "../process-pool.ts";
import { createLocalRunner } from "./local.ts";
import { createServiceRunner } from "./service.ts";

export interface PythonRunnerOptions extends Partial<ProcessPoolOptions> {
  sandbox: Sandbox;
  maxResponseBytes?: number;
}

export interface PythonRunner extends ToolRunner {
  /** Ends the processes that were kept for a session. */
  endSession(sessionId: string): Promise<void>;
  /** Ends the processes that were kept for the next call. */
  close(): Promise<void>;
}

export function createPythonRunner(options: PythonRunnerOptions): PythonRunner {
  const { maxResponseBytes = DEFAULT_MAX_LINE_BYTES } = options;
  const local = createLocalRunner({ ...options, maxResponseBytes });
  const service = createServiceRunner({ maxResponseBytes });
  const container = createContainerRunner({ maxResponseBytes });

  function runnerFor({ tool: { manifest } }: ToolCall): ToolRunner {
    if (manifest?.container !== undefined) return container;
    return manifest?.transport.type === "http" ? service : local;
  }
  return {
    run: (call, sink, signal) => runnerFor(call).run(call, sink, signal),
    endSession: (sessionId) => local.endSession(sessionId),
    close: () => local.close(),
  };
}
