/** `npm run contracts`: writes `contracts/` anew from the schemas in the source. `contracts.ts` makes the text. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contracts } from "./contracts.ts";

const folder = join(import.meta.dirname, "..", "contracts");
mkdirSync(folder, { recursive: true });
for (const [name, text] of contracts()) {
  writeFileSync(join(folder, name), text);
  console.log(`contracts/${name}`);
}
