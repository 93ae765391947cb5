/** The `--policy FILE` of the command line. */
import { NOTHING_GRANTED, parsePolicy, type Policy } from "../index.ts";
import { readJsonFile } from "./read-json-file.ts";

export type PolicyFile = { kind: "policy"; policy: Policy } | { kind: "wrong"; message: string };

export async function readPolicy(file: string | undefined): Promise<PolicyFile> {
  if (file === undefined) return { kind: "policy", policy: NOTHING_GRANTED };
  const reading = await readJsonFile(file);
  if (reading.kind !== "json") return { kind: "wrong", message: reading.message };
  const parsed = parsePolicy(reading.value);
  if (parsed.kind === "policy") return parsed;
  const problems = parsed.problems.map(({ pointer, message }) => `${pointer || "/"} ${message}`).join("; ");
  return { kind: "wrong", message: `${file} is not a valid policy: ${problems}` };
}
