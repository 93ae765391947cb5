/** What the player granted for good, in a file of the data folder; or nowhere, when nothing is kept. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isJsonObject, readJson, type Json } from "@narratoria/tool/json";
import type { GrantKeeper } from "../runtime/policy/permissions.ts";

export function createGrantFile(file: string | null): GrantKeeper {
  return {
    load: () => (file === null ? {} : read(file)),
    save: (grants) => {
      if (file === null) return;
      mkdirSync(dirname(file), { recursive: true });
      // Written beside and renamed: a crash leaves the old file or the new one, never half of one.
      writeFileSync(`${file}.new`, `${JSON.stringify(grants, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

/** A file that cannot be read grants nothing. */
function read(file: string): { [skill: string]: string[] } {
  try {
    const reading = readJson(readFileSync(file, "utf8"));
    if (reading.kind !== "value" || !isJsonObject(reading.value)) return {};
    const lists = Object.entries(reading.value).filter(([, list]) => isListOfText(list));
    return Object.fromEntries(lists) as { [skill: string]: string[] };
  } catch {
    return {};
  }
}

function isListOfText(value: Json): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
