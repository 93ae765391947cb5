/** The name of the skill behind a tool's path: what plans disable and health is counted by. Checked by `plan.ts`. */

const SKILL_FOLDERS: ReadonlySet<string> = new Set(["skills", "tools"]);

/** A mount's own name; else the folder right under the last `skills/` or `tools/`; else the file's name. */
export function skillNameOf(toolPath: string, mountNames?: ReadonlySet<string>): string {
  if (mountNames?.has(toolPath)) return toolPath;
  const segments = normalSegments(toolPath);
  // Something must come after the name: in `tools/torch.py` the name is a file's.
  for (let i = segments.length - 3; i >= 0; i--) {
    if (SKILL_FOLDERS.has(segments[i] ?? "")) return segments[i + 1] ?? toolPath;
  }
  const file = segments.at(-1) ?? toolPath;
  const dot = file.lastIndexOf(".");
  return dot > 0 ? file.slice(0, dot) : file;
}

/** Without `.`, `..` and doubled slashes, so that a detour in the path does not hide a disabled skill. */
function normalSegments(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.split(/[/\\]/)) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments;
}
