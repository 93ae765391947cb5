/** One tool of a namel3ss project, as `tools.yaml` binds it to a Python function, made into a mount. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { formatPointer } from "../../story/json-pointer.ts";
import type { MountProblem } from "./mount-problem.ts";
import { isServiceUrl, millisecondsOf, NO_URL } from "./namel3ss-files.ts";
import { mountManifest } from "./read-manifest.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

/** Where a binding stands, and what it says when it does not say it itself. */
export interface BindingContext {
  storyDir: string;
  /** Where its modules lie. */
  dir: string;
  file: string;
  /** Where in the file the bindings are. */
  at: readonly string[];
  runner?: Json | undefined;
  url?: Json | undefined;
  image?: Json | undefined;
  capabilities?: readonly string[];
}

/** What an image for such tools is started with unless the binding names something else. */
const USUAL_COMMAND = ["python", "-m", "namel3ss_tools.runner"];
const RUNNERS: readonly Json[] = ["local", "service", "container"];

/** Null when something is wrong with it; then every problem is told, with the field of the file. */
export function mountBinding(
  name: string,
  binding: Json,
  context: BindingContext,
  problems: MountProblem[],
): ResolvedTool | null {
  const before = problems.length;
  const refuse = (field: string[], message: string) =>
    problems.push({ file: context.file, pointer: formatPointer([...context.at, name, ...field]), message });
  if (!isJsonObject(binding)) {
    refuse([], "must have fields: kind and entry at least");
    return null;
  }
  const { entry, env, purity } = binding;
  const runner = binding["runner"] ?? context.runner ?? "local";
  const url = binding["url"] ?? context.url ?? null;
  const image = binding["image"] ?? context.image ?? null;
  if ((binding["kind"] ?? "python") !== "python") refuse(["kind"], 'must be "python"');
  if (typeof entry !== "string" || !/^[^:]+:[^:]+$/.test(entry)) refuse(["entry"], 'must be "module:function"');
  if (!RUNNERS.includes(runner)) refuse(["runner"], "must be local, service or container");
  if (runner === "service" && !isServiceUrl(url))
    refuse(["url"], url === null ? `${NO_URL}; or set service_url` : NO_URL);
  if (runner === "container" && typeof image !== "string") refuse(["image"], "a container needs an image");
  if (!isAbsent(env) && !hasOnlyStrings(env)) refuse(["env"], "must map names to strings");
  if (!isAbsent(purity) && purity !== "pure" && purity !== "impure") refuse(["purity"], "must be pure or impure");
  const seconds = binding["timeout_seconds"] ?? null;
  if (seconds !== null && millisecondsOf(seconds) === null)
    refuse(["timeout_seconds"], "must be a number of seconds above 0");
  if (problems.length > before) return null;

  const manifest = {
    name,
    kind: "tool",
    protocol: "namel3ss/1",
    entry,
    transport: runner === "service" ? { type: "http", url } : { type: "stdio" },
    capabilities: [...(context.capabilities ?? [])],
    timeoutMs: binding["timeout_ms"] ?? millisecondsOf(seconds),
    ...(runner === "container" && { container: { image, command: commandOf(binding), env: env ?? null } }),
  } as Json;
  const reading = mountManifest(manifest, context.dir, context.storyDir);
  if (reading.kind === "tool")
    return { ...reading.tool, ...(isJsonObject(env) && { env: env as Record<string, string> }) };
  for (const { pointer, message } of reading.problems) refuse([fieldOf(pointer)], message);
  return null;
}

function commandOf({ command }: JsonObject): Json {
  const isNone = isAbsent(command) || (Array.isArray(command) && command.length === 0);
  return isNone ? USUAL_COMMAND : command;
}

/** From a place in the manifest back to the field it was made from. */
function fieldOf(pointer: string): string {
  if (pointer.startsWith("/timeoutMs")) return "timeout_ms";
  const [, first = "", second] = pointer.split("/");
  return second ?? (first === "container" ? "runner" : first);
}

function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function hasOnlyStrings(value: Json): boolean {
  return isJsonObject(value) && Object.values(value).every((entry) => typeof entry === "string");
}
