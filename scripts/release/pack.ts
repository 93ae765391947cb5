/**
 * `npm run release:pack -- --out FOLDER`: the two packages as people install them, as tarballs. In the repository Node
 * runs the sources as they are; inside `node_modules` it strips no types, so a package holds JavaScript, declarations
 * and the built web. `pack-tool.ts` and `pack-narratoria.ts` say what is in each.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packNarratoria } from "./pack-narratoria.ts";
import { packTool } from "./pack-tool.ts";

export interface Tarballs {
  tool: string;
  narratoria: string;
}

if (import.meta.main) {
  const options = { out: { type: "string", default: "dist/release" }, reports: { type: "string" } } as const;
  const { out, reports } = parseArgs({ options }).values;
  const { tool, narratoria } = await packBoth(resolve(out), reports);
  for (const file of [tool, narratoria]) {
    console.log(`${file}  ${Math.ceil(statSync(file).size / 1000)} kB`);
  }
}

/** `reports`: a folder for the lists of public names, which come with the declarations. */
export async function packBoth(out: string, reports?: string): Promise<Tarballs> {
  mkdirSync(out, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "narratoria-pack-"));
  try {
    const tool = join(work, "tool");
    const narratoria = join(work, "narratoria");
    const lists = reports ?? join(work, "api");
    packTool(tool, join(lists, "tool"));
    await packNarratoria(narratoria, join(lists, "narratoria"));
    return { tool: tarball(tool, out), narratoria: tarball(narratoria, out) };
  } finally {
    rmSync(work, { recursive: true });
  }
}

function tarball(folder: string, out: string): string {
  const args = ["pack", folder, "--pack-destination", out, "--json", "--ignore-scripts", "--loglevel=error"];
  const [packed] = JSON.parse(execFileSync("npm", args, { encoding: "utf8" })) as { filename: string }[];
  return join(out, packed?.filename ?? "");
}
