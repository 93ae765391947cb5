/** What the player granted for good, in a file of the data folder; or nowhere, when nothing is kept. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { readJson } from "@narratoria/tool/json";
import { z } from "zod";
import { KEEPS_NO_GRANTS, NOTHING_KEPT, type GrantKeeper, type Kept } from "../runtime/policy/grant-book.ts";
import { readPrivateFile, writePrivateFile } from "./private-folder.ts";

/** Version 1 had none, and kept grants by a mount's name alone: those are asked again. */
const VERSION = 2;

export function createGrantFile(file: string | null): GrantKeeper {
  if (file === null) return KEEPS_NO_GRANTS;
  return {
    load: () => read(file),
    save: (kept) => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writePrivateFile(file, `${JSON.stringify({ version: VERSION, ...kept }, null, 2)}\n`);
    },
  };
}

/** A file that cannot be read, that is not ours, or that says anything else grants nothing. */
function read(file: string): Kept {
  const reading = readJson(readPrivateFile(file) ?? "");
  const kept = reading.kind === "value" ? fileSchema.safeParse(reading.value) : null;
  if (!kept?.success) return NOTHING_KEPT;
  const { grants, unconfined } = kept.data;
  return { grants, unconfined };
}

const fileSchema = z.object({
  version: z.literal(VERSION),
  grants: z.array(
    z.object({
      story: z.string(),
      mount: z.string(),
      capabilities: z.array(z.string()),
      parts: z.record(z.string(), z.string()),
    }),
  ),
  unconfined: z.array(z.string()),
});
