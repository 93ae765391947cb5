/** `npm run colors`: writes the app's colours, which `web/colors.ts` makes, to the style sheet that holds them. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { renderColors } from "../packages/narratoria/web/colors.ts";

const file = path.resolve(import.meta.dirname, "../packages/narratoria/web/src/theme/colors.css");
writeFileSync(file, renderColors());
console.log(`Wrote ${path.relative(process.cwd(), file)}`);
