/** The licences of the code that others wrote and the package holds: whoever hands it on hands these on too. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./repository.ts";

/** The folders of the packages that a bundler took code from. */
export function bundledPackages(output: readonly { type: string; moduleIds?: readonly string[] }[]): Set<string> {
  const found = new Set<string>();
  for (const id of output.flatMap(({ moduleIds }) => moduleIds ?? [])) {
    const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1];
    if (folder !== undefined) found.add(folder);
  }
  return found;
}

export function thirdPartyLicences(folders: Iterable<string>): string {
  const parts = [...new Set(folders)].map(describe).toSorted();
  return `# Code of others in this package

The files in \`lib/\` and \`web/\` hold code of these packages, under their licences.

${parts.join("\n")}
${ICONS}`;
}

function describe(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license: string;
  };
  return `## ${name} ${version} (${license})\n\n${quote(licenceText(folder, license))}\n`;
}

function licenceText(folder: string, license: string): string {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  if (file !== undefined) return readFileSync(join(folder, file), "utf8").trim();
  const { author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    author?: string | { name: string };
  };
  return `${license} licence, by ${typeof author === "string" ? author : (author?.name ?? "its authors")}. The package holds no further text.`;
}

/** They were copied into the repository, so no bundler sees whose they are. */
const ICONS = `## Material Symbols (Apache-2.0)

The icons of the app are by Google.

${quote(readFileSync(join(ROOT, "node_modules/@material/material-color-utilities/LICENSE"), "utf8").trim())}
`;

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}
