/** Every dependency is chosen: docs/dependencies.md gives each one a line, and package.json an exact version. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

interface Dependency {
  manifest: string;
  name: string;
  version: string;
}

const repository = path.resolve(import.meta.dirname, "../../..");
const dependencies = readManifests().flatMap(readDependencies);

test("every dependency has a line in docs/dependencies.md, and every line a dependency", () => {
  const document = readFileSync(path.join(repository, "docs/dependencies.md"), "utf8");
  const listed = [...document.matchAll(/^\| `([^`]+)` \|/gm)].map((row) => row[1] ?? "");
  const used = new Set(dependencies.map(({ name }) => name));
  expect(listed.toSorted()).toEqual([...used].toSorted());
});

test("every version is exact", () => {
  const inexact = dependencies.filter(({ version }) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  expect(inexact).toEqual([]);
});

function readManifests(): string[] {
  const packages = readdirSync(path.join(repository, "packages")).map((name) => `packages/${name}/package.json`);
  return ["package.json", ...packages];
}

function readDependencies(manifest: string): Dependency[] {
  const content = JSON.parse(readFileSync(path.join(repository, manifest), "utf8")) as Record<string, unknown>;
  const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
  return kinds.flatMap((kind) => {
    const entries = Object.entries((content[kind] ?? {}) as Record<string, string>);
    return entries.map(([name, version]) => ({ manifest, name, version }));
  });
}
