/** The tools that ship with Narratoria, for stories to mount as `builtin:NAME`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TOOLS } from "../../installation.ts";

export interface BuiltinTool {
  folder: string;
  manifestFile: string;
}

export function findBuiltin(name: string): BuiltinTool | null {
  if (!/^[a-z0-9-]+$/.test(name)) return null;
  const folder = join(TOOLS, name);
  const manifestFile = join(folder, "tool.json");
  return existsSync(manifestFile) ? { folder, manifestFile } : null;
}
