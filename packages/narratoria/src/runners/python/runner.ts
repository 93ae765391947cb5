/** Runs Python tools, each as its manifest says: a service at a URL, a container, else a function called here. */
import { DEFAULT_MAX_LINE_BYTES } from "@narratoria/tool/ndjson";
import type { Sandbox } from "../../runtime/seams/sandbox.ts";
import { offerOfManifest, type MountedCall, type MountRunner } from "../mount-runner.ts";
import { createContainerRunner } from "./container.ts";
import type { ProcessPoolOptions } from "../process-pool.ts";
import { createLocalRunner } from "./local.ts";
import { createServiceRunner } from "./service.ts";

export interface PythonRunnerOptions extends Partial<ProcessPoolOptions> {
  sandbox: Sandbox;
  maxResponseBytes?: number;
  /** How many Python servers may rest between two calls. */
  mostIdle?: number;
}

export function createPythonRunner(options: PythonRunnerOptions): MountRunner {
  const { maxResponseBytes = DEFAULT_MAX_LINE_BYTES } = options;
  const local = createLocalRunner({ ...options, maxResponseBytes });
  const service = createServiceRunner({ maxResponseBytes });
  const container = createContainerRunner({ maxResponseBytes });

  function runnerFor({
    mount: {
      tool: { manifest },
    },
  }: MountedCall): MountRunner {
    if (manifest?.container !== undefined) return container;
    return manifest?.transport.type === "http" ? service : local;
  }
  return {
    run: (call, port, signal) => runnerFor(call).run(call, port, signal),
    offers: offerOfManifest,
    endSession: (sessionId) => local.endSession(sessionId),
    close: () => local.close(),
  };
}
