/** A connection to a module that is a program: started on first use, used by all calls, started again when it is gone. */
import type { RunningProcess } from "../runtime/sandbox.ts";
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
    const end: Promise<void> = current.then((module) => module.end()).finally(() => ending.delete(end));
    ending.add(end);
    current = null;
    latest = null;
  }

  return {
    async send(method, params, signal) {
      if (latest?.isGone()) reset();
      current ??= start();
      return (await current).send(method, params, signal);
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
