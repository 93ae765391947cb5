/**
 * An existing namel3ss project in a story's folder: the tools of `.namel3ss/tools.yaml` as manifests, and the settings of
 * `namel3ss.toml`. `mounts.ts` mounts them beside the story's own.
 */
import { createRequire } from "node:module";
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type * as TomlLibrary from "smol-toml";
import { formatPointer } from "../../story/json-pointer.ts";
import type { MountProblem } from "./mount-problem.ts";
import { mountManifest } from "./read-manifest.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { readYaml } from "./read-yaml.ts";
import { MOST_BYTES, readStoryText } from "./story-text.ts";

/** Loaded only where there is such a project: every command would wait for it otherwise. */
const load = createRequire(import.meta.url);
const loadToml = (): typeof TomlLibrary => load("smol-toml") as typeof TomlLibrary;

export const TOOLS_FILE = ".namel3ss/tools.yaml";
export const SETTINGS_FILE = "namel3ss.toml";

export interface Namel3ssProject {
  tools: ResolvedTool[];
  /** For tools that name no time limit of their own. */
  timeoutMs: number | null;
  problems: MountProblem[];
}

export function readNamel3ssProject(storyDir: string): Namel3ssProject {
  const problems: MountProblem[] = [];
  const settings = readSettings(storyDir, problems);
  const tools: ResolvedTool[] = [];
  for (const [name, binding] of readBindings(storyDir, problems)) {
    const tool = mountBinding(name, binding, settings, storyDir, problems);
    if (tool !== null) tools.push(tool);
  }
  return { tools, timeoutMs: settings.timeoutMs, problems };
}

interface Settings {
  timeoutMs: number | null;
  serviceUrl: Json;
}

function readSettings(storyDir: string, problems: MountProblem[]): Settings {
  const refuse = (pointer: string, message: string) => problems.push({ file: SETTINGS_FILE, pointer, message });
  const nothing: Settings = { timeoutMs: null, serviceUrl: null };
  const text = readText(storyDir, SETTINGS_FILE, problems);
  if (text === null) return nothing;
  const { parse, TomlError } = loadToml();
  let table: unknown;
  try {
    table = parse(text)["python_tools"];
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    refuse("", `not valid TOML: ${firstLine(error.message)} (line ${error.line})`);
    return nothing;
  }
  if (table === undefined) return nothing;
  if (!isJsonObject(table)) {
    refuse("/python_tools", "must be a table");
    return nothing;
  }
  const { timeout_seconds: seconds, service_url: url } = table;
  const hasTimeout = typeof seconds === "number" && seconds > 0 && seconds * 1000 < 2 ** 31;
  if (seconds !== undefined && !hasTimeout)
    refuse("/python_tools/timeout_seconds", "must be a number of seconds above 0");
  if (url !== undefined && !isServiceUrl(url)) refuse("/python_tools/service_url", NO_URL);
  return {
    timeoutMs: hasTimeout ? Math.max(1, Math.round(seconds * 1000)) : null,
    serviceUrl: isServiceUrl(url ?? null) ? (url ?? null) : null,
  };
}

function readBindings(storyDir: string, problems: MountProblem[]): [name: string, binding: Json][] {
  const refuse = (pointer: string, message: string) => problems.push({ file: TOOLS_FILE, pointer, message });
  const text = readText(storyDir, TOOLS_FILE, problems);
  if (text === null) return [];
  const yaml = readYaml(text, { stringKeys: true });
  if (yaml.kind === "invalid") {
    refuse("", `not valid YAML: ${yaml.reason}`);
    return [];
  }
  const { value } = yaml;
  const tools = isJsonObject(value) ? value["tools"] : undefined;
  if (isJsonObject(tools)) return Object.entries(tools);
  // A project without any tool yet is fine.
  if (value !== null && tools !== null) refuse("/tools", "must map names to tools");
  return [];
}

/** Null when something is wrong with it; then every problem is told, with the field of the file. */
function mountBinding(
  name: string,
  binding: Json,
  settings: Settings,
  storyDir: string,
  problems: MountProblem[],
): ResolvedTool | null {
  const before = problems.length;
  const refuse = (field: string[], message: string) =>
    problems.push({ file: TOOLS_FILE, pointer: formatPointer(["tools", name, ...field]), message });
  if (!isJsonObject(binding)) {
    refuse([], "must have fields: kind and entry at least");
    return null;
  }
  const { kind = "python", runner = "local", entry, timeout_ms: timeoutMs, env } = binding;
  if (kind !== "python") refuse(["kind"], 'must be "python"');
  if (typeof entry !== "string" || !/^[^:]+:[^:]+$/.test(entry)) refuse(["entry"], 'must be "module:function"');
  if (!["local", "service", "container"].includes(runner as string)) {
    refuse(["runner"], "must be local, service or container");
  }
  const url = binding["url"] ?? settings.serviceUrl;
  if (runner === "service" && !isServiceUrl(url))
    refuse(["url"], url === null ? `${NO_URL}; or set service_url` : NO_URL);
  if (runner === "container" && typeof binding["image"] !== "string") refuse(["image"], "a container needs an image");
  if (env !== undefined && env !== null && !hasOnlyStrings(env)) refuse(["env"], "must map names to strings");
  if (problems.length > before) return null;

  const manifest = {
    name,
    kind: "tool",
    protocol: "namel3ss/1",
    entry,
    transport: runner === "service" ? { type: "http", url } : { type: "stdio" },
    capabilities: [],
    timeoutMs: timeoutMs ?? null,
    ...(runner === "container" && { container: containerOf(binding) }),
  } as Json;
  const reading = mountManifest(manifest, storyDir, storyDir);
  if (reading.kind === "tool")
    return { ...reading.tool, ...(isJsonObject(env) && { env: env as Record<string, string> }) };
  for (const { pointer, message } of reading.problems) refuse([fieldOf(pointer)], message);
  return null;
}

function containerOf({ image, command, env }: JsonObject): JsonObject {
  return { image: image ?? null, command: command ?? null, env: env ?? null };
}

/** From a place in the manifest back to the field it was made from. */
function fieldOf(pointer: string): string {
  if (pointer.startsWith("/timeoutMs")) return "timeout_ms";
  const [, first = "", second] = pointer.split("/");
  return second ?? (first === "container" ? "runner" : first);
}

const NO_URL = "must be an http or https URL";

function isServiceUrl(url: Json | undefined): boolean {
  return typeof url === "string" && /^https?:\/\//i.test(url) && URL.canParse(url);
}

function hasOnlyStrings(value: Json): boolean {
  return isJsonObject(value) && Object.values(value).every((entry) => typeof entry === "string");
}

function readText(storyDir: string, file: string, problems: MountProblem[]): string | null {
  const reading = readStoryText(storyDir, file, MOST_BYTES.namel3ss);
  if (reading.kind === "refused") problems.push({ file, pointer: "", message: `it ${reading.why}` });
  return reading.kind === "text" ? reading.text : null;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.replace(/:$/, "") ?? "";
}
