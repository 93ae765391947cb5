/** A connection to a module that is a program: started on first use, shared by all calls, replaced when gone. */
import type { RunningProcess } from "../runtime/seams/sandbox.ts";
import type { ModuleConnection } from "./module-client.ts";
import { followModule, type ModuleProcess, type ModuleProcessOptions } from "./module-process.ts";

export function createStdioConnection(
  launch: () => Promise<RunningProcess>,
  options: ModuleProcessOptions = {},
): ModuleConnection {
  let current: Promise<ModuleProcess> | null = null;
  let latest: ModuleProcess | null = null;
  const ending = new Set<Promise<void>>();

  async function start(): Promise<ModuleProcess> {
    latest = followModule(await launch(), options);
    return latest;
  }

  function reset(): void {
    if (current === null) return;
    const end: Promise<void> = current
      .then((module) => module.end())
      .catch(() => {})
      .finally(() => ending.delete(end));
    ending.add(end);
    current = null;
    latest = null;
  }

  return {
    async send(method, params, signal) {
      if (latest?.isGone()) reset();
      current ??= start();
      try {
        return await (await current).send(method, params, signal);
      } catch (error) {
        // No room for its folders, perhaps: the next call tries again.
        reset();
        return { kind: "failed", error: { code: "unreachable", message: (error as Error).message } };
      }
    },
    reset,
    takeOutput: () => latest?.takeOutput() ?? { stderr: "", warnings: [] },
    isUp: () => current !== null && latest?.isGone() !== true,
    async close() {
      reset();
      await Promise.all(ending);
    },
  };
}
