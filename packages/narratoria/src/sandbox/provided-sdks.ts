/**
 * Both SDKs, for every tool that is started: a tool imports `@narratoria/tool` or `narratoria_tool` with nothing copied or
 * installed, and its own copy comes first. Python looks where it is told to; Node does so only for `require`, so a few
 * lines that Node loads before the tool (`provide.cjs` of the SDK) find what an import does not.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SDKS } from "../installation.ts";

/** Where they lie: a tool must be able to read these. */
export const SDK_FOLDERS: readonly string[] = Object.values(SDKS).filter((folder) => existsSync(folder));

/** `moved`: where a path lies for the tool, if elsewhere than for us. */
export function sdkEnvironment(moved = (path: string): string => path): Record<string, string> {
  const provide = join(moved(SDKS.node), "provide.cjs").replaceAll(/[\\"]/g, "\\$&");
  return { NODE_OPTIONS: `--require "${provide}"`, PYTHONPATH: moved(SDKS.python) };
}
