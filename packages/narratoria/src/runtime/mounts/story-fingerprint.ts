/** Tells whether what a story is loaded from has changed on disk: names, times and sizes, nothing is read. */
import { join } from "node:path";
import { entriesIn } from "./folder-names.ts";
import { statAt } from "./story-text.ts";

const TOLD_FROM = /\.(?:ink|json|ya?ml|toml|md)$/;
/** Large, and nothing a story is loaded from. */
const SKIPPED = new Set(["node_modules", ".git", ".venv", "__pycache__", "art", "music"]);
const DEEPEST = 4;
/** Looked at, whether they count or not. */
const MOST_ENTRIES = 20_000;

export function fingerprintStory(dir: string): string {
  const found: string[] = [];
  let entriesLeft = MOST_ENTRIES;

  function visit(folder: string, depth: number, isToolFolder: boolean): void {
    for (const entry of entriesIn(folder, entriesLeft)) {
      if (entriesLeft-- <= 0) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < DEEPEST && !SKIPPED.has(entry.name))
          visit(path, depth + 1, depth === 0 ? isToolsOrSkills(entry.name) : entry.name === "scripts");
      } else if (isToolFolder || TOLD_FROM.test(entry.name)) {
        // A file that vanishes meanwhile is a change too, which the next look finds.
        const { mtimeMs, size, mode } = statAt(path) ?? { mtimeMs: 0, size: 0, mode: 0 };
        found.push(`${path} ${mtimeMs} ${size} ${mode}`);
      }
    }
  }
  visit(dir, 0, false);
  return found.join("\n");
}

/** What lies directly in these may be a tool itself; so may what lies in a skill's `scripts/`. */
function isToolsOrSkills(name: string): boolean {
  return name === "tools" || name === "skills";
}
