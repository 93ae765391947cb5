/**
 * The packages Narratoria brings along, as texts: a software bill of materials (CycloneDX) and a page of licences. Both
 * are made of package-lock.json alone, so they are the same on every machine and need no network (`npm sbom` wants a
 * version of a workspace that has none). `write-sbom.ts` writes them, `sbom.test.ts` compares.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "..");

export interface LockedPackage {
  /** Below the root: `node_modules/zod`. */
  place: string;
  name: string;
  version: string;
  license: string;
  integrity: string | null;
  /** Only `npm test` needs it. */
  isForTests: boolean;
}

/** By the path of the file each belongs in. */
export function sbomFiles(packages: readonly LockedPackage[] = lockedPackages()): Map<string, string> {
  return new Map([
    ["docs/sbom.cdx.json", `${JSON.stringify(billOfMaterials(packages), null, 2)}\n`],
    ["docs/licences.md", licencePage(packages)],
  ]);
}

export function lockedPackages(): LockedPackage[] {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: {
      [place: string]: { version?: string; license?: string; integrity?: string; dev?: boolean; link?: boolean };
    };
  };
  return Object.entries(lock.packages)
    .filter(([place, { link }]) => place.includes("node_modules/") && !link)
    .map(([place, { version = "", license = "UNKNOWN", integrity = null, dev = false }]) => {
      const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
      return { place, name, version, license, integrity, isForTests: dev };
    })
    .toSorted((one, other) => compare(one.name, other.name) || compare(one.version, other.version));
}

function billOfMaterials(packages: readonly LockedPackage[]): object {
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name: "narratoria", licenses: [{ license: { id: "MIT" } }] } },
    components: distinct(packages).map(({ name, version, license, integrity, isForTests }) => ({
      type: "library",
      "bom-ref": `${name}@${version}`,
      name,
      version,
      scope: isForTests ? "excluded" : "required",
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
      ...(integrity === null ? {} : { hashes: hashesOf(integrity) }),
    })),
  };
}

function hashesOf(integrity: string): object[] {
  return integrity.split(" ").map((each) => {
    const [algorithm = "", digest = ""] = each.split(/-(.*)/s);
    return {
      alg: algorithm.toUpperCase().replace("SHA", "SHA-"),
      content: Buffer.from(digest, "base64").toString("hex"),
    };
  });
}

function licencePage(packages: readonly LockedPackage[]): string {
  const byLicense = Map.groupBy(distinct(packages), ({ license }) => license);
  const sections = [...byLicense]
    .toSorted(([one], [other]) => compare(one, other))
    .map(([license, members]) => {
      const names = (isForTests: boolean): string =>
        members
          .filter((member) => member.isForTests === isForTests)
          .map(({ name, version }) => `\`${name}\` ${version}`)
          .join(", ") || "none";
      return `## ${license}\n\nTo run: ${names(false)}.\n\nFor the tests: ${names(true)}.\n`;
    });
  return `# Licences

Narratoria itself is under the MIT licence. These are the packages it brings along, by their licences, as
\`npm run sbom\` reads them from \`package-lock.json\`; [sbom.cdx.json](sbom.cdx.json) is the same for programs.

${sections.join("\n")}`;
}

/** A package may lie in several places. One that is needed to run anywhere is needed to run. */
function distinct(packages: readonly LockedPackage[]): LockedPackage[] {
  const groups = Map.groupBy(packages, ({ name, version }) => `${name}@${version}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, isForTests: [first, ...others].every(({ isForTests }) => isForTests) }],
  );
}

/** The same on every machine, whatever its language. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
