/** The keys of browsers that signed in, hashed, in a file of the data folder: a tab stays signed in over a restart. */
import { isJsonObject, readJson, type Json } from "@narratoria/tool/json";
import { readPrivateFile, writePrivateFile } from "./private-folder.ts";

export interface KeptKey {
  /** Of the key, made with the token: under another token it is no key. */
  hash: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export interface KeyKeeper {
  load(): KeptKey[];
  save(keys: readonly KeptKey[]): void;
}

/** Nothing outlives the process. */
export const KEEPS_NO_KEYS: KeyKeeper = { load: () => [], save: () => {} };

export function createSignInFile(file: string): KeyKeeper {
  return {
    load: () => {
      const reading = readJson(readPrivateFile(file) ?? "[]");
      return reading.kind === "value" && Array.isArray(reading.value) ? reading.value.flatMap(toKey) : [];
    },
    save: (keys) => writePrivateFile(file, `${JSON.stringify(keys)}\n`),
  };
}

function toKey(value: Json): KeptKey[] {
  if (!isJsonObject(value)) return [];
  const { hash, expiresAt } = value;
  return typeof hash === "string" && typeof expiresAt === "number" ? [{ hash, expiresAt }] : [];
}
