/** What the player granted for good, in a file of the data folder; or nowhere, when nothing is kept. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { isJsonObject, readJson, type Json } from "@narratoria/tool/json";
import type { GrantKeeper } from "../runtime/policy/permissions.ts";
import { readPrivateFile, writePrivateFile } from "./private-folder.ts";

export function createGrantFile(file: string | null): GrantKeeper {
  return {
    load: () => (file === null ? {} : read(file)),
    save: (grants) => {
      if (file === null) return;
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writePrivateFile(file, `${JSON.stringify(grants, null, 2)}\n`);
    },
  };
}

/** A file that cannot be read, or that is not ours, grants nothing. */
function read(file: string): { [skill: string]: string[] } {
  const reading = readJson(readPrivateFile(file) ?? "{}");
  if (reading.kind !== "value" || !isJsonObject(reading.value)) return {};
  const lists = Object.entries(reading.value).filter(([, list]) => isListOfText(list));
  return Object.fromEntries(lists) as { [skill: string]: string[] };
}

function isListOfText(value: Json): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
