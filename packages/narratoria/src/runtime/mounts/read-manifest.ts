/** From a manifest, a `tool.json` or an entry of a story's `mounts`, to a tool that can be run. */
import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { isJsonObject, readJson, type Json } from "@narratoria/tool/json";
import { parseDescriptor, type DescriptorProblem, type ModuleDescriptor } from "../../story/module-descriptor.ts";
import { findBuiltin } from "./builtin-tools.ts";
import { findContainerRuntimes } from "./container-runtime.ts";
import { isCapability } from "../../story/capabilities.ts";
import { holdsHome } from "./holds-home.ts";
import { isInside, realLocation } from "./real-location.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { takeCredentials } from "./service-address.ts";
import { MOST_BYTES, readStoryText } from "./story-text.ts";
import { DEFAULT_LIMITS, MOST_LIMITS, type ToolLimits } from "../seams/sandbox.ts";

/** As the first word of a mount's command: its tool is played from a recording. */
export const RECORDED = "builtin:recorded";

export type ManifestReading = { kind: "tool"; tool: ResolvedTool } | { kind: "invalid"; problems: DescriptorProblem[] };

/** `home` is the folder a command may come from without asking anybody. */
export function readManifest(file: string, home: string): ManifestReading {
  const text = readStoryText(home, relative(home, file), MOST_BYTES.manifest);
  if (text.kind !== "text") return refuse("", text.kind === "missing" ? "it is gone" : `it ${text.why}`);
  const reading = readJson(text.text);
  if (reading.kind === "value") return mountManifest(reading.value, dirname(file), home);
  return refuse("", reading.kind === "too_deep" ? "nested too deep" : `not valid JSON: ${reading.reason}`);
}

function refuse(pointer: string, message: string): ManifestReading {
  return { kind: "invalid", problems: [{ pointer, message }] };
}

/** `folder` is where relative commands start. */
export function mountManifest(value: Json, folder: string, home: string): ManifestReading {
  const endless = findEndlessList(value);
  if (endless !== null) return refuse(`/${endless}`, `has more than ${MOST_ENTRIES} entries`);
  const parsed = parseDescriptor(value);
  if (parsed.kind === "invalid") return parsed;
  const { descriptor, credentials } = takeCredentials(parsed.descriptor);
  const obstacle = findContainerProblem(descriptor);
  if (obstacle !== null) return { kind: "invalid", problems: [obstacle] };
  const [program = "", ...args] = descriptor.transport.command ?? [];
  if (program === RECORDED) return mountRecording(descriptor, args[0], folder, home);
  if (program.startsWith("builtin:")) return mountBuiltin(descriptor, program.slice("builtin:".length));

  const command =
    program === "" ? [] : [...resolveProgram(program, folder), ...args.map((argument) => fileIn(folder, argument))];
  // Without a command there is nothing of somebody else's to start: a Python function, or a service.
  const comesFromHome = command.length === 0 || isFromHome(command, home);
  const implied = [
    ...(comesFromHome ? [] : ["exec.spawn"]),
    ...(descriptor.transport.type === "http" ? ["net.fetch"] : []),
    // An image on this machine may be anybody's, and hold anything.
    ...(descriptor.container === undefined ? [] : [`exec.spawn:${descriptor.container.image}`]),
  ];
  const tool = {
    skill: descriptor.name,
    command,
    dir: folder,
    readFolders: comesFromHome ? [home] : outsideFolders(command),
    limits: withinReason(descriptor.limits),
    needs: [...new Set([...implied, ...descriptor.capabilities.filter(isCapability)])],
    source: "binding" as const,
    manifest: descriptor,
    ...(credentials && { credentials }),
  };
  return { kind: "tool", tool };
}

const MOST_ENTRIES = 256;

/** Every wrong entry of a list is a problem of its own: a list of a million would be a million problems. */
function findEndlessList(manifest: Json): string | null {
  const fields = isJsonObject(manifest) ? Object.entries(manifest) : [];
  return fields.find(([, list]) => Array.isArray(list) && list.length > MOST_ENTRIES)?.[0] ?? null;
}

/** What tools once answered, from a file of the story's: nothing runs, so it needs nothing, whatever the real one needed. */
function mountRecording(
  descriptor: ModuleDescriptor,
  name: string | undefined,
  folder: string,
  home: string,
): ManifestReading {
  const file = realLocation(resolve(folder, name ?? ""));
  const isThere =
    name !== undefined && isInside(file, realLocation(home)) && existsSync(file) && statSync(file).isFile();
  if (!isThere) {
    return refuse("/transport/command/1", `${RECORDED} takes a recording, a file in the story's folder`);
  }
  const limits = withinReason(descriptor.limits);
  const what = { skill: descriptor.name, command: [RECORDED, file], dir: folder, readFolders: [], needs: [] };
  return { kind: "tool", tool: { ...what, limits, source: "binding", manifest: descriptor } };
}

/** A tool that ships with Narratoria: the mount says how the story uses it, its own manifest says what it is. */
function mountBuiltin(declared: ModuleDescriptor, name: string): ManifestReading {
  const builtin = findBuiltin(name);
  if (builtin === null) return refuse("/transport/command/0", `no tool named ${name} ships with Narratoria`);
  const reading = readManifest(builtin.manifestFile, builtin.folder);
  if (reading.kind === "invalid") return reading;
  const { protocol } = reading.tool.manifest as ModuleDescriptor;
  const { entry: _, container: __, ...use } = declared;
  const manifest = { ...reading.tool.manifest, ...use, protocol };
  const tool = { ...reading.tool, skill: declared.name, limits: withinReason(manifest.limits), manifest };
  return { kind: "tool", tool: { ...tool, source: "builtin_pack" } };
}

/** What would only show when a container is started, and can be said now. */
function findContainerProblem({ container }: ModuleDescriptor): DescriptorProblem | null {
  if (container === undefined) return null;
  if (container.image.startsWith("-")) return { pointer: "/container/image", message: "is an option, not an image" };
  const unusable = Object.keys(container.env ?? {}).find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (unusable !== undefined) return { pointer: "/container/env", message: `${unusable} is no name of a variable` };
  if (findContainerRuntimes(process.env["PATH"] ?? "").length > 0) return null;
  return { pointer: "/container", message: "needs docker or podman, and neither is on the PATH" };
}

/** `node` is the Node that runs Narratoria: another one on the PATH may be too old to run TypeScript. */
function resolveProgram(program: string, folder: string): string[] {
  if (program === "node") return [process.execPath];
  return [program.includes("/") ? realLocation(resolve(folder, program)) : program];
}

/** An interpreter gets its file by the full path: its working directory is the story's, not the manifest's. */
function fileIn(folder: string, argument: string): string {
  const file = resolve(folder, argument);
  const isFile = !argument.startsWith("-") && existsSync(file) && statSync(file).isFile();
  return isFile ? realLocation(file) : argument;
}

const INTERPRETERS = ["python3", "sh", process.execPath];

/** Whether the command is a file of the story, or a plain interpreter running one: then nobody need be asked. */
function isFromHome([program = "", script]: readonly string[], home: string): boolean {
  const root = realLocation(home);
  if (!INTERPRETERS.includes(program)) return program.includes("/") && isInside(program, root);
  return script !== undefined && script.startsWith("/") && isInside(script, root);
}

/**
 * Where a program from elsewhere and the script it interprets lie: libraries are often beside them. No other argument
 * counts, and never all of the disk or somebody's home: leave to run a program is no leave to read those.
 */
function outsideFolders([program = "", script = ""]: readonly string[]): string[] {
  const files = INTERPRETERS.includes(program) ? [script] : [program];
  return files
    .filter((file) => isAbsolute(file) && existsSync(file))
    .map((file) => {
      const folder = dirname(file);
      return holdsHome(folder) ? file : folder;
    });
}

function withinReason(asked: ModuleDescriptor["limits"]): ToolLimits {
  const limits = { ...DEFAULT_LIMITS, ...asked };
  for (const name of Object.keys(MOST_LIMITS) as (keyof ToolLimits)[]) {
    limits[name] = Math.min(limits[name], MOST_LIMITS[name]);
  }
  return limits;
}
