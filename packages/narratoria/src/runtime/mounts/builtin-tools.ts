/** The tools that ship with Narratoria, for stories to mount as `builtin:NAME`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
export const TOOLS = join(root, "tools");
/** The SDKs tools are written with: a story may link to them instead of holding a copy. */
export const SDK_FOLDERS = [join(root, "packages/tool"), join(root, "sdks/python")].filter((folder) =>
  existsSync(folder),
);

export interface BuiltinTool {
  folder: string;
  manifestFile: string;
  readFolders: readonly string[];
}

export function findBuiltin(name: string): BuiltinTool | null {
  if (!/^[a-z0-9-]+$/.test(name)) return null;
  const folder = join(TOOLS, name);
  const manifestFile = join(folder, "tool.json");
  return existsSync(manifestFile) ? { folder, manifestFile, readFolders: [TOOLS, ...SDK_FOLDERS] } : null;
}
