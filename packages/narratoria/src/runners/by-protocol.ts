/** One runner for all tools: each is handed to the runner of its mount's protocol. */
import type { ToolRunner } from "../runtime/tool-runner.ts";
import type { ToolProtocol } from "../story/module-descriptor.ts";

export type RunnersByProtocol = { readonly "narratoria/0": ToolRunner } & { readonly [protocol in ToolProtocol]?: ToolRunner };

export function createRunnerByProtocol(runners: RunnersByProtocol): ToolRunner {
  return {
    run: (call, sink, signal) => {
      const protocol = call.tool.manifest?.protocol ?? "narratoria/0";
      return (runners[protocol] ?? runners["narratoria/0"]).run(call, sink, signal);
    },
    close: async () => {
      await Promise.all(Object.values(runners).map((runner) => runner.close?.()));
    },
  };
}
