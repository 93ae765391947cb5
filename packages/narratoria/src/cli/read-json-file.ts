/** A JSON file a person named on the command line: read, or a sentence on why not. */
import { readFile } from "node:fs/promises";
import { readJson, type Json } from "@narratoria/tool/json";
import { decodeText } from "../index.ts";

export type JsonFile =
  | { kind: "json"; value: Json }
  | { kind: "unreadable"; message: string }
  | { kind: "not_json"; message: string };

export async function readJsonFile(file: string): Promise<JsonFile> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : message;
    return { kind: "unreadable", message: `cannot read ${file}: ${reason}` };
  }
  const decoded = decodeText(bytes);
  if (decoded.kind === "no_text") return { kind: "not_json", message: `${file} ${decoded.why}` };
  const reading = readJson(decoded.text);
  if (reading.kind === "value") return { kind: "json", value: reading.value };
  const reason =
    reading.kind === "too_deep" ? "it is nested deeper than 256 levels" : reading.reason.replaceAll(/\s+/g, " ");
  return { kind: "not_json", message: `${file} is not valid JSON: ${reason}` };
}
