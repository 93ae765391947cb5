/**
 * Reads YAML that a story brings along: the front matter of a skill (`agent-skill.ts`), the tools of a namel3ss project.
 * The library finds every mistake and would draw each; of a text that is nothing else that takes a minute.
 */
import type { Json } from "@narratoria/tool/json";
import { loadOwnModule } from "../../installation.ts";
import type * as SlowParsers from "./slow-parsers.ts";

export type YamlReading = { kind: "value"; value: Json } | { kind: "invalid"; reason: string };

export interface YamlOptions {
  /** A key that is no string is a mistake. */
  stringKeys: boolean;
  /** "failsafe": numbers, dates and booleans stay the text they were written as. */
  schema?: "core" | "failsafe" | undefined;
}

export function readYaml(text: string, { stringKeys, schema = "core" }: YamlOptions): YamlReading {
  // Loaded only where there is YAML: every command would wait for it otherwise.
  const { parseDocument } = loadOwnModule("runtime/mounts/slow-parsers") as typeof SlowParsers;
  const document = parseDocument(text, { stringKeys, schema, prettyErrors: false, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = text.slice(0, error.pos[0]).split("\n").length;
    return { kind: "invalid", reason: `${firstLine(error.message)} at line ${line}` };
  }
  try {
    return { kind: "value", value: document.toJS() as Json };
  } catch (reason) {
    // References that multiply beyond all measure.
    return { kind: "invalid", reason: firstLine((reason as Error).message) };
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.replace(/:$/, "") ?? "";
}
