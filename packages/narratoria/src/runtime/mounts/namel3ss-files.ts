/** The files of a namel3ss project in a story's folder, and what fields mean that stand in several of them. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { MountProblem } from "./mount-problem.ts";
import { readYaml, type YamlOptions } from "./read-yaml.ts";
import { MOST_BYTES, readStoryText } from "./story-text.ts";

/** Null where there is none; and, with the problem told, where it cannot be read. */
export function readProjectText(storyDir: string, file: string, problems: MountProblem[]): string | null {
  const reading = readStoryText(storyDir, file, MOST_BYTES.namel3ss);
  if (reading.kind === "refused") problems.push({ file, pointer: "", message: `it ${reading.why}` });
  return reading.kind === "text" ? reading.text : null;
}

/** `undefined` as null is above: a file may hold null. */
export function readProjectYaml(
  storyDir: string,
  file: string,
  problems: MountProblem[],
  schema?: YamlOptions["schema"],
): Json | undefined {
  const text = readProjectText(storyDir, file, problems);
  if (text === null) return undefined;
  const yaml = readYaml(text, { stringKeys: true, schema });
  if (yaml.kind === "value") return yaml.value;
  problems.push({ file, pointer: "", message: `not valid YAML: ${yaml.reason}` });
  return undefined;
}

/** What stands at the top of such a file under a name, by tool; empty where there is no file. */
export function readMapping(
  file: string,
  name: string,
  value: Json | undefined,
  problems: MountProblem[],
): [name: string, entry: Json][] {
  const mapping = isJsonObject(value) ? value[name] : undefined;
  if (isJsonObject(mapping)) return Object.entries(mapping);
  // A project without any tool yet is fine.
  if (value !== null && value !== undefined && mapping !== null)
    problems.push({ file, pointer: `/${name}`, message: "must map names of tools to their fields" });
  return [];
}

/** The fields of a mapping; none where it is not there. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export const NO_URL = "must be an http or https URL";

export function isServiceUrl(url: Json | undefined): url is string {
  return typeof url === "string" && /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** Null when it is no time. A larger delay than that makes a timer fire at once. */
export function millisecondsOf(seconds: Json): number | null {
  const isTime = typeof seconds === "number" && seconds > 0 && seconds * 1000 < 2 ** 31;
  return isTime ? Math.max(1, Math.round(seconds * 1000)) : null;
}
