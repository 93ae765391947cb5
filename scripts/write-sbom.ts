/** `npm run sbom`: writes the bill of materials and the page of licences anew. `sbom.ts` makes the texts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, sbomFiles } from "./sbom.ts";

for (const [file, text] of sbomFiles()) {
  writeFileSync(join(ROOT, file), text);
  console.log(file);
}
