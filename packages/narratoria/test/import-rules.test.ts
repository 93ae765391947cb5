/** Imports point one way. Reads every import in the sources and names those that break a rule of ARCHITECTURE.md. */
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";

interface Import {
  /** Path of the importing file from the repository's root. */
  from: string;
  specifier: string;
  /** Type imports vanish when the code runs: they count for the layers, not for cycles. */
  typeOnly: boolean;
}

const repository = path.resolve(import.meta.dirname, "../../..");

/** A layer may import itself and every layer of a higher rank number, never a sibling or a layer before it. */
const RANKS: Record<string, number> = {
  cli: 0,
  server: 1,
  "create-narratoria.ts": 2,
  runners: 3,
  stores: 3,
  narrators: 3,
  engines: 3,
  sandbox: 3,
  runtime: 4,
  story: 5,
};
const ORDER =
  "cli -> server -> create-narratoria -> runners, stores, narrators, engines, sandbox -> runtime -> story -> " +
  "@narratoria/tool";

describe("the sources of this repository", () => {
  const imports = readAllImports();

  test("import only in the direction of the layers", () => {
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.flatMap(findLayerProblem)).toEqual([]);
  });

  test("keep story/ free of Node and @narratoria/tool free of dependencies", () => {
    expect(imports.flatMap(findPurityProblem)).toEqual([]);
  });

  test("have no import cycles", () => {
    expect(findCycles(imports)).toEqual([]);
  });
});

describe("the rules themselves", () => {
  const story = "packages/narratoria/src/story/plan.ts";
  const problemsOf = (from: string, specifier: string): string[] => {
    const found = { from, specifier, typeOnly: false };
    return [...findLayerProblem(found), ...findPurityProblem(found)];
  };

  test.each([
    [story, "../runtime/turns/turn.ts", "runtime may not be imported by story"],
    [
      "packages/narratoria/src/runners/process.ts",
      "../sandbox/bubblewrap.ts",
      "sandbox may not be imported by runners",
    ],
    ["packages/narratoria/src/runtime/turns/turn.ts", "../create-narratoria.ts", "may not be imported by runtime"],
    ["packages/narratoria/src/server/route.ts", "../cli/run.ts", "cli may not be imported by server"],
    ["packages/narratoria/src/surprise/new.ts", "zod", "no layer is called surprise"],
    [story, "node:fs", "story/ runs in the browser too"],
    [story, "fs", "story/ runs in the browser too"],
    ["packages/tool/src/index.ts", "zod", "@narratoria/tool has no dependencies"],
    ["packages/tool/src/index.ts", "../src/story/plan.ts", "leaves its package"],
  ])("%s may not import %s", (from, specifier, reason) => {
    expect(problemsOf(from, specifier)).toEqual([expect.stringContaining(reason)]);
  });

  test.each([
    ["packages/narratoria/src/cli/run.ts", "../create-narratoria.ts"],
    ["packages/narratoria/src/runners/process.ts", "../runtime/seams/tool-runner.ts"],
    ["packages/narratoria/src/runtime/turns/turn.ts", "node:fs"],
    [story, "@narratoria/tool/protocol"],
    ["packages/tool/src/index.ts", "node:buffer"],
  ])("%s may import %s", (from, specifier) => {
    expect(problemsOf(from, specifier)).toEqual([]);
  });

  test("a cycle is named from file to file; types do not make one", () => {
    const a = { from: "src/a.ts", specifier: "./b.ts", typeOnly: false };
    const b = { from: "src/b.ts", specifier: "./a.ts", typeOnly: false };
    expect(findCycles([a, b])).toEqual(["src/a.ts -> src/b.ts -> src/a.ts"]);
    expect(findCycles([a, { ...b, typeOnly: true }])).toEqual([]);
  });

  test("every way to write an import is read", () => {
    const source = [
      'import a from "./a.ts";',
      'import {\n  b,\n  type B,\n} from "./b.ts";',
      'import type { C } from "./c.ts";',
      'import { type D } from "./d.ts";',
      'export * from "./e.ts";',
      'export type { F } from "./f.ts";',
      'import "./g.ts";',
      'const h = await import("./h.ts");',
      '// import i from "./i.ts";',
      ' * import j from "./j.ts"',
    ].join("\n");
    const found = readImports("x.ts", source).map(({ specifier, typeOnly }) => `${specifier} ${typeOnly}`);
    const values = ["./a.ts false", "./b.ts false", "./e.ts false", "./g.ts false", "./h.ts false"];
    expect(found.toSorted()).toEqual([...values, "./c.ts true", "./d.ts true", "./f.ts true"].toSorted());
  });
});

function findLayerProblem({ from, specifier }: Import): string[] {
  const to = resolveInRepository(from, specifier);
  if (packageOf(from) !== "narratoria") return [];
  const layer = layerOf(from);
  const rank = RANKS[layer];
  if (rank === undefined) return [`${from}: no layer is called ${layer} (${ORDER})`];
  if (to === null) return [];
  if (packageOf(to) !== "narratoria") return [`${from} imports ${specifier}, which leaves its package`];
  const target = layerOf(to);
  const targetRank = RANKS[target];
  if (target === layer || (targetRank !== undefined && targetRank > rank)) return [];
  return [`${from} imports ${specifier}: ${target} may not be imported by ${layer} (${ORDER})`];
}

function findPurityProblem({ from, specifier }: Import): string[] {
  if (packageOf(from) === "tool") {
    const to = resolveInRepository(from, specifier);
    if (to !== null && packageOf(to) !== "tool") return [`${from} imports ${specifier}, which leaves its package`];
    if (to !== null || isBuiltin(specifier)) return [];
    return [`${from} imports ${specifier}: @narratoria/tool has no dependencies`];
  }
  if (layerOf(from) !== "story" || !isBuiltin(specifier)) return [];
  return [`${from} imports ${specifier}: story/ runs in the browser too, so it may not use Node`];
}

function findCycles(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, specifier, typeOnly } of imports) {
    const to = resolveInRepository(from, specifier);
    if (to !== null && !typeOnly) targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start !== -1) cycles.push([...trail.slice(start), file].join(" -> "));
    if (start !== -1 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}

function readAllImports(): Import[] {
  const packages = readdirSync(path.join(repository, "packages"));
  return packages.flatMap((name) => {
    const folder = path.join("packages", name, "src");
    const files = readdirSync(path.join(repository, folder), { recursive: true, encoding: "utf8" });
    return files
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => path.join(folder, file).replaceAll("\\", "/"))
      .flatMap((file) => readImports(file, readFileSync(path.join(repository, file), "utf8")));
  });
}

/** Statements begin a line, as the formatter leaves them; that keeps comments and strings out. */
const STATEMENT = /^(?:import|export)\s+(?:(?<clause>[\w*{][^"';]*?)\s+from\s+)?"(?<specifier>[^"]+)"/gm;
const DYNAMIC = /^(?!\s*(?:\/\/|\/?\*)).*?\bimport\("(?<specifier>[^"]+)"\)/gm;

function readImports(from: string, source: string): Import[] {
  const found: Import[] = [];
  for (const { groups } of source.matchAll(STATEMENT)) {
    found.push({ from, specifier: groups?.["specifier"] ?? "", typeOnly: isTypeOnly(groups?.["clause"] ?? "") });
  }
  for (const { groups } of source.matchAll(DYNAMIC)) {
    found.push({ from, specifier: groups?.["specifier"] ?? "", typeOnly: false });
  }
  return found;
}

function isTypeOnly(clause: string): boolean {
  if (/^type\s/.test(clause)) return true;
  const names = /^\{(.*)\}$/s.exec(clause)?.[1]?.split(",") ?? [""];
  return names
    .map((name) => name.trim())
    .every((name, index) => name.startsWith("type ") || (name === "" && index > 0));
}

function resolveInRepository(from: string, specifier: string): string | null {
  return specifier.startsWith(".") ? path.posix.join(path.posix.dirname(from), specifier) : null;
}

function packageOf(file: string): string {
  return file.split("/")[1] ?? "";
}

function layerOf(file: string): string {
  return file.split("/")[3] ?? "";
}
