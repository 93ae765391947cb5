/** One runner for all tools: each is handed to the runner of its mount's protocol. A bare executable speaks ours. */
import type { ToolRunner } from "../runtime/seams/tool-runner.ts";
import type { ToolProtocol } from "../story/module-descriptor.ts";

export type RunnersByProtocol = { readonly [protocol in ToolProtocol]: ToolRunner };

export function createRunnerByProtocol(runners: RunnersByProtocol): ToolRunner {
  return {
    run: (call, sink, signal) => runners[call.tool.manifest?.protocol ?? "narratoria/0"].run(call, sink, signal),
    close: async () => {
      for (const runner of Object.values(runners)) await runner.close?.();
    },
  };
}

/** Stands in for a runner that does not exist yet. */
export function unavailableRunner(protocol: ToolProtocol): ToolRunner {
  const message = `tools that speak ${protocol} are not available yet`;
  return {
    run: () =>
      Promise.resolve({
        outcome: { kind: "failed", error: { category: "process_error", code: "SPAWN_FAILED", message } },
        exitCode: null,
        signal: null,
        stderrTail: "",
        warnings: [],
        eventsAfterDone: 0,
        sandbox: "none",
        trace: { runner: protocol },
      }),
  };
}
