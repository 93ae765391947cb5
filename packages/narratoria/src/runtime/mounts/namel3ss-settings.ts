/** What `namel3ss.toml` says: how Python tools are called, and which packs count. `namel3ss-project.ts` goes by it. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { loadOwnModule } from "../../installation.ts";
import { formatPointer } from "../../story/json-pointer.ts";
import type { MountProblem } from "./mount-problem.ts";
import { fieldsOf, isServiceUrl, millisecondsOf, NO_URL, readProjectText } from "./namel3ss-files.ts";
import type * as SlowParsers from "./slow-parsers.ts";

/** Loaded only where there is such a project: every command would wait for it otherwise. */
const slowParsers = (): typeof SlowParsers => loadOwnModule("runtime/mounts/slow-parsers") as typeof SlowParsers;

export const SETTINGS_FILE = "namel3ss.toml";

export interface Namel3ssSettings {
  /** For tools that name no time limit of their own. */
  timeoutMs: number | null;
  serviceUrl: string | null;
  packs: {
    /** By where each is named. */
    enabled: ReadonlyMap<string, { pointer: string }>;
    /** Which pack a tool is taken from that several have. */
    pinned: ReadonlyMap<string, { id: string; pointer: string }>;
  };
}

export function readSettings(storyDir: string, problems: MountProblem[]): Namel3ssSettings {
  const document = readDocument(storyDir, problems);
  const refuse = (path: string[], message: string): void =>
    void problems.push({ file: SETTINGS_FILE, pointer: formatPointer(path), message });

  /** A field of the first of these tables that has it. */
  function find(tables: readonly string[], field: string): { value: Json; path: string[] } | null {
    for (const name of tables) {
      const table = document[name];
      const value = isJsonObject(table) ? table[field] : undefined;
      if (value !== undefined) return { value, path: [name, field] };
    }
    return null;
  }
  for (const name of [...PYTHON_TABLES, ...PACK_TABLES]) {
    if (document[name] !== undefined && !isJsonObject(document[name])) refuse([name], "must be a table");
  }

  const timeout = find(PYTHON_TABLES, "timeout_seconds");
  const timeoutMs = timeout === null ? null : millisecondsOf(timeout.value);
  if (timeout !== null && timeoutMs === null) refuse(timeout.path, "must be a number of seconds above 0");
  const url = find(PYTHON_TABLES, "service_url");
  if (url !== null && !isServiceUrl(url.value)) refuse(url.path, NO_URL);

  function names(field: string): Map<string, { pointer: string }> {
    const found = find(PACK_TABLES, field);
    const list = found?.value ?? [];
    if (Array.isArray(list) && list.every((id) => typeof id === "string"))
      return new Map(list.map((id, index) => [id, { pointer: formatPointer([...(found?.path ?? []), index]) }]));
    refuse(found?.path ?? [], "must be a list of packs' ids");
    return new Map();
  }
  const enabled = names("enabled_packs");
  for (const id of names("disabled_packs").keys()) enabled.delete(id);
  const pins = find(PACK_TABLES, "pinned_tools");
  const pinned = new Map<string, { id: string; pointer: string }>();
  for (const [tool, id] of Object.entries(fieldsOf(pins?.value))) {
    const path = [...(pins?.path ?? []), tool];
    if (typeof id === "string") pinned.set(tool, { id, pointer: formatPointer(path) });
    else refuse(path, "must be a pack's id");
  }
  if (pins !== null && !isJsonObject(pins.value)) refuse(pins.path, "must map tools to packs' ids");

  return {
    timeoutMs,
    serviceUrl: url !== null && isServiceUrl(url.value) ? url.value : null,
    packs: { enabled, pinned },
  };
}

const PYTHON_TABLES = ["python_tools", "python"];
const PACK_TABLES = ["tool_packs", "packs"];

/** Empty where there is none, or none that can be read. */
function readDocument(storyDir: string, problems: MountProblem[]): JsonObject {
  const text = readProjectText(storyDir, SETTINGS_FILE, problems);
  if (text === null) return {};
  const { parseToml, TomlError } = slowParsers();
  try {
    return parseToml(text) as JsonObject;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n", 1)[0]?.replace(/:$/, "") ?? "";
    problems.push({ file: SETTINGS_FILE, pointer: "", message: `not valid TOML: ${reason} (line ${error.line})` });
    return {};
  }
}
