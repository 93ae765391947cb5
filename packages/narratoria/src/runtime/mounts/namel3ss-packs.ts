/**
 * Packs of tools that were installed into a namel3ss project: those that its settings enable, each a folder with a
 * `pack.yaml` that says whose it is. `namel3ss-binding.ts` mounts their tools.
 */
import type { Json } from "@narratoria/tool/json";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatPointer } from "../../story/json-pointer.ts";
import { entriesIn } from "./folder-names.ts";
import type { MountProblem } from "./mount-problem.ts";
import { mountBinding } from "./namel3ss-binding.ts";
import { fieldsOf, readMapping, readProjectYaml } from "./namel3ss-files.ts";
import { SETTINGS_FILE, type Namel3ssSettings } from "./namel3ss-settings.ts";
import type { Pack, ResolvedTool } from "../seams/resolved-tool.ts";
import { statAt } from "./story-text.ts";

export const PACKS_FOLDER = ".namel3ss/packs";
const MOST_PACKS = 256;

export interface PackTool {
  tool: ResolvedTool;
  file: string;
  pointer: string;
}

/** The tools of enabled packs; of a tool that several have, the one that is pinned. */
export function readPacks(storyDir: string, settings: Namel3ssSettings, problems: MountProblem[]): PackTool[] {
  const { enabled, pinned } = settings.packs;
  if (enabled.size === 0) return [];
  const folders = entriesIn(join(storyDir, PACKS_FOLDER), MOST_PACKS)
    .map(({ name }) => name)
    .filter((name) => statAt(join(storyDir, PACKS_FOLDER, name))?.isDirectory());
  const found = new Set<string>();
  const tools = folders.flatMap((folder): PackTool[] => {
    const pack = readPack(storyDir, folder, enabled, problems);
    if (pack === null) return [];
    found.add(pack.identity.id);
    return toolsOf(pack, storyDir, settings, problems).filter(
      ({ tool: { skill } }) => (pinned.get(skill)?.id ?? pack.identity.id) === pack.identity.id,
    );
  });
  const refuse = (pointer: string, message: string): void =>
    void problems.push({ file: SETTINGS_FILE, pointer, message });
  for (const [id, { pointer }] of enabled) {
    if (!found.has(id)) refuse(pointer, `no pack ${id} is installed in ${PACKS_FOLDER}, or it cannot be read`);
  }
  for (const { id, pointer } of pinned.values()) {
    if (!found.has(id)) refuse(pointer, `no pack ${id} is installed and enabled`);
  }
  return tools;
}

interface InstalledPack {
  identity: Pack;
  /** From the story's folder. */
  folder: string;
  manifest: Json;
}

/** Null when it is not enabled, or cannot be read; of a pack that nobody enabled no problem is told. */
function readPack(
  storyDir: string,
  name: string,
  enabled: ReadonlyMap<string, unknown>,
  problems: MountProblem[],
): InstalledPack | null {
  const folder = join(PACKS_FOLDER, name);
  const file = join(folder, "pack.yaml");
  const found: MountProblem[] = [];
  const manifest = readProjectYaml(storyDir, file, found);
  // A version 1.10 is not the number 1.1.
  const written = fieldsOf(readProjectYaml(storyDir, file, [], "failsafe"));
  const id = textOr(written["id"], name);
  if (!enabled.has(id)) return null;
  if (manifest === undefined && found.length === 0) found.push({ file, pointer: "", message: "a pack needs one" });
  problems.push(...found);
  if (manifest === undefined) return null;
  const identity = { id, name: textOr(written["name"], id), version: textOr(written["version"], null) };
  return { identity, folder, manifest };
}

function toolsOf(
  { identity, folder, manifest }: InstalledPack,
  storyDir: string,
  settings: Namel3ssSettings,
  problems: MountProblem[],
): PackTool[] {
  const dir = join(storyDir, folder);
  const fields = fieldsOf(manifest);
  const packFile = join(folder, "pack.yaml");
  const hasBindings = existsSync(join(dir, "tools.yaml"));
  const [file, at] = hasBindings ? [join(folder, "tools.yaml"), "tools"] : [packFile, "entrypoints"];
  const holder = hasBindings ? readProjectYaml(storyDir, file, problems) : manifest;
  const bindings = readMapping(file, at, holder, problems);
  const listed = listOf(fields["tools"], packFile, problems);
  const capabilities = readCapabilities(storyDir, join(folder, "capabilities.yaml"), problems);
  const context = {
    storyDir,
    dir,
    file,
    at: [at],
    runner: fieldsOf(fields["runners"])["default"],
    url: fields["service_url"] ?? settings.serviceUrl,
    image: fieldsOf(fields["container"])["image"],
  };
  for (const [index, tool] of (listed ?? []).entries()) {
    if (holder !== undefined && !bindings.some(([name]) => name === tool))
      problems.push({
        file: packFile,
        pointer: formatPointer(["tools", index]),
        message: `${tool} is not bound in ${file}`,
      });
  }
  return bindings.flatMap(([name, binding]): PackTool[] => {
    const pointer = formatPointer([at, name]);
    if (listed?.includes(name) === false) {
      problems.push({ file, pointer, message: "is not among the tools that pack.yaml lists" });
      return [];
    }
    const tool = mountBinding(name, binding, { ...context, capabilities: capabilities(name) }, problems);
    if (tool === null) return [];
    const imports = [join(dir, "src"), join(dir, "tools")].filter((place) => statAt(place)?.isDirectory());
    return [
      { tool: { ...tool, source: "installed_pack", pack: identity, imports: [...imports, storyDir] }, file, pointer },
    ];
  });
}

/** Null where a pack lists none: then it has those that are bound. */
function listOf(tools: Json | undefined, file: string, problems: MountProblem[]): string[] | null {
  if (tools === undefined || tools === null) return null;
  if (Array.isArray(tools) && tools.every((tool) => typeof tool === "string")) return tools;
  problems.push({ file, pointer: "/tools", message: "must be a list of tools' names" });
  return null;
}

/**
 * What a pack says that each of its tools needs. Its own folders it may write to without being asked about, and start what it
 * likes in there: of all that can be said there, two things need a grant here.
 */
function readCapabilities(storyDir: string, file: string, problems: MountProblem[]): (tool: string) => string[] {
  const byTool = new Map(readMapping(file, "capabilities", readProjectYaml(storyDir, file, problems), problems));
  return (tool) => {
    const { network, secrets } = fieldsOf(byTool.get(tool));
    const names = Array.isArray(secrets) ? secrets.filter((name) => typeof name === "string") : [];
    return [...(network === "outbound" ? ["net.fetch"] : []), ...names.map((name) => `secrets.read:${name}`)];
  };
}

function textOr<Otherwise extends string | null>(value: Json | undefined, otherwise: Otherwise): string | Otherwise {
  return typeof value === "string" && value !== "" ? value : otherwise;
}
