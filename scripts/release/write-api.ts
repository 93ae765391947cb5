/** `npm run api`: writes the reports of every public name anew, after one was added, changed or removed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeDeclarations } from "./declarations.ts";
import { entriesOf, readManifest, ROOT } from "./repository.ts";

const types = mkdtempSync(join(tmpdir(), "narratoria-api-"));
for (const name of ["tool", "narratoria"]) {
  const folder = `packages/${name}`;
  const manifest = readManifest(folder);
  const reports = join(ROOT, "api", name);
  rmSync(reports, { recursive: true, force: true });
  writeDeclarations(manifest, entriesOf(manifest, folder), join(ROOT, folder, "src"), { types, reports });
}
rmSync(types, { recursive: true });
