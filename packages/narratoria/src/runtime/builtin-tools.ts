/** The tools that ship with Narratoria, for stories to mount as `builtin:NAME`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const TOOLS = join(root, "tools");
/** They use the SDKs of their languages. */
const READ_FOLDERS = [TOOLS, join(root, "packages/tool/src"), join(root, "sdks/python")];

export interface BuiltinTool {
  folder: string;
  manifestFile: string;
  readFolders: readonly string[];
}

export function findBuiltin(name: string): BuiltinTool | null {
  if (!/^[a-z0-9-]+$/.test(name)) return null;
  const folder = join(TOOLS, name);
  const manifestFile = join(folder, "tool.json");
  return existsSync(manifestFile) ? { folder, manifestFile, readFolders: READ_FOLDERS } : null;
}
