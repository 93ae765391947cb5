/** Every link and picture in the documents leads somewhere, and the files ARCHITECTURE.md names exist. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const documents = globSync(["*.md", "docs/**/*.md", "contracts/*.md"], { cwd: root }).toSorted();

describe("documents", () => {
  test.for(documents)("%s links only to what is there", (document) => {
    const text = readFileSync(join(root, document), "utf8").replaceAll(/```[^]*?```|`[^`]*`/g, "");
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => (match[1] as string).split("#")[0] as string);
    const local = targets.filter((target) => target !== "" && !/^[a-z]+:/.test(target));
    const broken = local.filter((target) => !existsSync(resolve(root, dirname(document), target)));
    expect(broken).toEqual([]);
  });

  test("ARCHITECTURE.md names folders and files that exist", () => {
    const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
    const folders = [...text.matchAll(/^\| (`[^|]+) \|/gm)].flatMap((row) =>
      [...(row[1] as string).matchAll(/`([^`]+)`/g)].map((name) => name[1] as string),
    );
    expect(folders.length).toBeGreaterThan(15);
    expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);

    const files = [...text.matchAll(/`([a-z-]+\/)?([a-z0-9-]+\.(?:ts|js))`/g)].map((match) => match[2] as string);
    const known = new Set(
      globSync("{packages,scripts,bench}/**/*.{ts,js}", { cwd: root, exclude: ["**/node_modules/**"] }),
    );
    const names = new Set([...known].map((file) => file.split("/").at(-1)));
    expect(files.filter((file) => !names.has(file))).toEqual([]);
  });
});
