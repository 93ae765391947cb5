/** One meaning a word: no two files export different things of the same name. Reads the exports and names those that do. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

interface Exported {
  name: string;
  kind: "type" | "value";
  file: string;
}

const repository = path.resolve(import.meta.dirname, "../../..");
const SOURCES = ["packages/tool/src", "packages/narratoria/src", "packages/narratoria/web/src"];

/** Two meanings after all, each for a reason. */
const ALLOWED: Record<string, string> = {
  ToolResult: "what a tool's function gives (SDK), and what became of a tool of a plan (contract): both are public",
};

describe("the names that files export", () => {
  const exported = SOURCES.flatMap(readExports);

  test("have one meaning each", () => {
    expect(exported.length).toBeGreaterThan(500);
    expect(findDoubles(exported.filter(({ name }) => !Object.hasOwn(ALLOWED, name)))).toEqual([]);
  });

  test("are allowed to have two only where they do", () => {
    const needless = Object.keys(ALLOWED).filter((allowed) => {
      return findDoubles(exported.filter(({ name }) => name === allowed)).length === 0;
    });
    expect(needless).toEqual([]);
  });
});

describe("the rule itself", () => {
  const of = (source: string, file = "packages/narratoria/src/a.ts"): Exported[] => exportsOf(source, file);

  test("finds types, functions and constants of one name in two files", () => {
    const one = of("export interface Answer {}\nexport function ask(): void {}\nexport const MOST = 1;");
    const other = of("export type Answer = 1;\nexport async function* ask() {}\nexport class MOST {}", "other.ts");
    expect(findDoubles([...one, ...other])).toEqual([
      "Answer: packages/narratoria/src/a.ts, other.ts",
      "ask: packages/narratoria/src/a.ts, other.ts",
      "MOST: packages/narratoria/src/a.ts, other.ts",
    ]);
  });

  test("lets a file export a type and a value of one name, and another export them again", () => {
    const one = of("export type Story = 1;\nexport const Story = 1;");
    expect(findDoubles([...one, ...of('export { type Story } from "./a.ts";', "index.ts")])).toEqual([]);
  });

  test("lets the page have functions of its own under the names of ours", () => {
    const ours = of("export function wordsForTime(): void {}");
    const pages = of("export function wordsForTime(): void {}", "packages/narratoria/web/src/words.ts");
    expect(findDoubles([...ours, ...pages])).toEqual([]);
  });
});

/** The page says much in its own way what the terminal says in another: there only types count. */
function findDoubles(exported: readonly Exported[]): string[] {
  const counted = exported.filter(({ kind, file }) => kind === "type" || !file.startsWith("packages/narratoria/web/"));
  return [...Map.groupBy(counted, ({ name }) => name)].flatMap(([name, found]) => {
    const files = [...new Set(found.map(({ file }) => file))];
    return files.length > 1 ? [`${name}: ${files.join(", ")}`] : [];
  });
}

function readExports(folder: string): Exported[] {
  const all = readdirSync(path.join(repository, folder), { recursive: true, encoding: "utf8" });
  const files = all.filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
  return files.flatMap((file) => {
    const place = path.join(folder, file);
    return exportsOf(readFileSync(path.join(repository, place), "utf8"), place);
  });
}

const EXPORT = /^export (?:declare |abstract |async )*(interface|type|class|function|const|let)\b\*? *(\w+)/gm;

function exportsOf(source: string, file: string): Exported[] {
  return [...source.matchAll(EXPORT)].map(([, keyword = "", name = ""]) => ({
    name,
    kind: keyword === "interface" || keyword === "type" ? "type" : "value",
    file,
  }));
}
