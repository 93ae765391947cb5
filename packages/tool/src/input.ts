/** Reads what the tool was called with: the JSON on stdin or, by hand, the first argument. `index.ts` hands it on. */
import { isJsonObject, readJson, type JsonObject } from "./json.ts";
import type { ToolInput } from "./protocol.ts";

export type InputReading = { kind: "input"; input: ToolInput } | { kind: "invalid"; reason: string };

/**
 * Every field has a default, and no input at all is an empty one, so that a tool can be tried by hand:
 * `./tool '{"action":"x"}'` or `echo '{"input":{"action":"x"}}' | ./tool`.
 */
export async function readInput(stdin: NodeJS.ReadStream, argument: string | undefined): Promise<InputReading> {
  const text = stdin.isTTY ? "" : await readAll(stdin);
  if (text.trim() !== "") return understandInput(text);
  if (argument === undefined) return understandInput("{}");
  return understandInput(`{"input":${argument}}`);
}

export function understandInput(text: string): InputReading {
  const reading = readJson(text);
  if (reading.kind === "too_deep") return invalid("the input is nested too deep");
  if (reading.kind === "invalid") return invalid(`the input is no JSON: ${reading.reason}`);
  const call = reading.value;
  if (!isJsonObject(call)) return invalid("the input is no JSON object");
  const input = call["input"] ?? {};
  if (!isJsonObject(input)) return invalid(`"input" is no JSON object`);
  const context: JsonObject = objectOr(call["context"], {});
  return {
    kind: "input",
    input: {
      requestId: textOr(call["requestId"], process.env["NARRATORIA_REQUEST_ID"] ?? ""),
      tool: textOr(call["tool"], ""),
      operation: textOr(call["operation"], "run"),
      input,
      context: {
        dependencies: objectOr(context["dependencies"], {}),
        state: isJsonObject(context["state"]) ? context["state"] : null,
      },
    },
  };
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stdin) chunks.push(chunk as Buffer);
  } catch {
    // A closed stdin is an empty one.
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function invalid(reason: string): InputReading {
  return { kind: "invalid", reason };
}

function objectOr(value: unknown, otherwise: JsonObject): JsonObject {
  return isJsonObject(value) ? value : otherwise;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
