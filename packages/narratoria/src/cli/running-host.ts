/** Where the host of a data folder can be reached, and a key to it: for `narratoria sign-in`, while the host runs. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, readJson } from "@narratoria/tool/json";
import { DATA_FILES, readPrivateFile, writePrivateFile } from "../data.ts";

export interface RunningHost {
  origin: string;
  key: string;
}

/** Gives back how to take the note away again. */
export function noteRunningHost(dataDir: string, host: RunningHost): () => void {
  const file = join(dataDir, DATA_FILES.host);
  writePrivateFile(file, `${JSON.stringify(host)}\n`);
  return () => rmSync(file, { force: true });
}

/** Null: none runs, or one that ended without a word. */
export function findRunningHost(dataDir: string): RunningHost | null {
  const reading = readJson(readPrivateFile(join(dataDir, DATA_FILES.host)) ?? "");
  if (reading.kind !== "value" || !isJsonObject(reading.value)) return null;
  const { origin, key } = reading.value;
  return typeof origin === "string" && typeof key === "string" ? { origin, key } : null;
}
