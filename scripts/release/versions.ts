/**
 * One version for both packages: what the manifests, the tag and the changelog disagree about. `npm run release:versions`
 * prints it and fails; a test asks the same of what is not tagged yet.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readManifest, ROOT, type Manifest } from "./repository.ts";

export interface Release {
  narratoria: Pick<Manifest, "version" | "dependencies">;
  tool: Pick<Manifest, "version">;
  changelog: string;
  /** Of the commit; null: it has none, and is no release. */
  tag: string | null;
}

if (import.meta.main) {
  const problems = findDisagreements(readRelease(tagOfCommit()));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

export function readRelease(tag: string | null): Release {
  const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  return { narratoria: readManifest("packages/narratoria"), tool: readManifest("packages/tool"), changelog, tag };
}

export function findDisagreements({ narratoria, tool, changelog, tag }: Release): string[] {
  const { version } = narratoria;
  const problems: string[] = [];
  if (tool.version !== version) problems.push(`@narratoria/tool is ${tool.version}, narratoria ${version}`);
  const needed = narratoria.dependencies?.["@narratoria/tool"];
  if (needed !== version) problems.push(`narratoria ${version} depends on @narratoria/tool ${needed}`);
  const [newest] = Array.from(changelog.matchAll(/^## \[([^\]]+)\]/gm), ([, name]) => name).filter(
    (name) => name !== "Unreleased",
  );
  if (newest !== undefined && newest !== version && tag !== null)
    problems.push(`the changelog's newest version is ${newest}, the packages are ${version}`);
  if (tag === null) return problems;
  if (tag !== `v${version}`) problems.push(`the tag is ${tag}, the packages are ${version}`);
  if (newest === undefined) problems.push(`the changelog has no version ${version}`);
  return problems;
}

function tagOfCommit(): string {
  const tags = execFileSync("git", ["tag", "--points-at", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
  return tags.find((tag) => tag.startsWith("v")) ?? "(none)";
}
