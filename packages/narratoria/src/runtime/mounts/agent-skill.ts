/**
 * An Agent Skills folder: `SKILL.md` says in its front matter what the skill is called and what it does, and the files in
 * `scripts/` are offered as tools. `mounts.ts` mounts them beside the story's own.
 */
import { extname, join, relative } from "node:path";
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import { entriesIn } from "./folder-names.ts";
import { mountManifest, type ManifestReading } from "./read-manifest.ts";
import { readYaml } from "./read-yaml.ts";
import { MOST_BYTES, readStoryText, statAt } from "./story-text.ts";

export const SKILL_FILE = "SKILL.md";

/** Who runs a script that is not executable itself. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  ".py": "python3",
  ".sh": "sh",
  ".js": "node",
  ".mjs": "node",
  ".ts": "node",
  ".mts": "node",
};

const MOST_SCRIPTS = 100;
/** Reading YAML takes longer than in proportion to its length. */
const MOST_FRONT_MATTER = 64 * 1024;

/** One reading per script. A skill with a single script is called by the skill's name, else by both: `maps-draw`. */
export function readAgentSkill(folder: string, storyDir: string): ManifestReading[] {
  const front = readFrontMatter(storyDir, relative(storyDir, join(folder, SKILL_FILE)));
  if (typeof front === "string") return [{ kind: "invalid", problems: [{ pointer: "", message: front }] }];
  const { name, description = null } = front;
  if (typeof name !== "string" || name.trim() === "") {
    return [{ kind: "invalid", problems: [{ pointer: "/name", message: "a skill needs a name" }] }];
  }
  const scripts = scriptsIn(join(folder, "scripts"));
  return scripts.map(({ file, command }) => {
    const script = file.slice(0, file.length - extname(file).length);
    const manifest: JsonObject = {
      name: scripts.length === 1 ? name : `${name}-${script}`,
      kind: "tool",
      protocol: "narratoria/0",
      transport: { type: "stdio", command },
      capabilities: [],
      description,
      // A skill says nothing of the state, so it is shown all of it, as a bare executable is.
      reads: [""],
    };
    return mountManifest(manifest, folder, storyDir);
  });
}

function scriptsIn(folder: string): { file: string; command: string[] }[] {
  return entriesIn(folder, MOST_SCRIPTS).flatMap(({ name: file }) => {
    const { mode, isFile } = describeFile(join(folder, file));
    const interpreter = INTERPRETERS[extname(file)];
    if (!isFile || ((mode & 0o111) === 0 && interpreter === undefined)) return [];
    const path = `./scripts/${file}`;
    return [{ file, command: (mode & 0o111) !== 0 ? [path] : [interpreter as string, path] }];
  });
}

function describeFile(path: string): { mode: number; isFile: boolean } {
  const stat = statAt(path);
  return { mode: stat?.mode ?? 0, isFile: stat?.isFile() ?? false };
}

/** The YAML between the first two lines of dashes, or what is wrong with it. */
function readFrontMatter(storyDir: string, file: string): JsonObject | string {
  const reading = readStoryText(storyDir, file, MOST_BYTES.skill);
  if (reading.kind !== "text") return reading.kind === "missing" ? "it is gone" : `it ${reading.why}`;
  const front = /^---\r?\n([^]*?)\r?\n---(?:\r?\n|$)/.exec(reading.text)?.[1];
  if (front === undefined) return "it does not begin with a front matter between two lines of ---";
  if (front.length > MOST_FRONT_MATTER) return `its front matter is longer than ${MOST_FRONT_MATTER / 1024} KiB`;
  const yaml = readYaml(front, { stringKeys: false });
  if (yaml.kind === "invalid") return `its front matter is not valid YAML: ${yaml.reason}`;
  return isJsonObject(yaml.value) ? yaml.value : "its front matter is no mapping";
}
