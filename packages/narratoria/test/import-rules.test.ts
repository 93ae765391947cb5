/** Imports point one way. Reads every import in the sources and names those that break a rule of ARCHITECTURE.md. */
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";

interface Import {
  /** Path of the importing file from the repository's root. */
  from: string;
  specifier: string;
  /** Types vanish when the code runs, but not for who reads it: they count like everything else, except for the page. */
  typeOnly: boolean;
}

const repository = path.resolve(import.meta.dirname, "../../..");

/** A layer may import itself and every layer of a higher rank number, never a sibling or a layer before it. */
const RANKS: Record<string, number> = {
  cli: 0,
  server: 1,
  "index.ts": 2,
  "data.ts": 2,
  library: 3,
  "create-narratoria.ts": 4,
  runners: 5,
  stores: 5,
  narrators: 5,
  engines: 5,
  sandbox: 5,
  runtime: 6,
  story: 7,
  "version.ts": 8,
  "installation.ts": 8,
};
/** What anybody may import of the package: the command line and the server know nothing deeper. */
const ENTRIES = ["index.ts", "data.ts", "story/index.ts", "server/index.ts", "version.ts"];
/** It runs before anything else is loaded, so it must not load the library. */
const LOADED_FIRST = "packages/narratoria/src/cli/compile-cache.ts";
/** The rooms of runtime/, in the same way. */
const ROOMS = ["sessions", "session-file", "turns", "execution", "policy", "mounts", "seams"];

/** What the page knows of the server beyond story/: the shapes of its answers, as types. */
const SHAPES_FOR_THE_PAGE = ["seams/session-service.ts", "policy/mount-summaries.ts", "policy/tool-directory.ts"];

const ORDER =
  "cli -> server -> index, data -> library -> create-narratoria -> runners, stores, narrators, engines, sandbox -> " +
  "runtime -> story -> @narratoria/tool";

describe("the sources of this repository", () => {
  const imports = readAllImports();

  test("import only in the direction of the layers", () => {
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.flatMap(findLayerProblem)).toEqual([]);
  });

  test("let the command line and the server know only what everybody may", () => {
    expect(imports.flatMap(findEntryProblem)).toEqual([]);
  });

  test("keep story/ free of Node and @narratoria/tool free of dependencies", () => {
    expect(imports.flatMap(findPurityProblem)).toEqual([]);
  });

  test("import only in the direction of the rooms of runtime/", () => {
    expect(imports.flatMap(findRoomProblem)).toEqual([]);
  });

  test("let the page know story/, and of the server only the shapes of its answers", () => {
    expect(imports.some(({ from }) => isOfPage(from))).toBe(true);
    expect(imports.flatMap(findPageProblem)).toEqual([]);
  });

  test("have no import cycles, not even of types", () => {
    expect(findCycles(imports)).toEqual([]);
  });
});

describe("the rules themselves", () => {
  const story = "packages/narratoria/src/story/plan.ts";
  const problemsOf = (from: string, specifier: string): string[] => {
    const found = { from, specifier, typeOnly: false };
    return problemsWith(found);
  };
  const problemsWith = (found: Import): string[] =>
    [findLayerProblem, findEntryProblem, findRoomProblem, findPageProblem, findPurityProblem].flatMap((find) =>
      find(found),
    );
  const turns = "packages/narratoria/src/runtime/turns/turn.ts";
  const page = "packages/narratoria/web/src/tools/pane.tsx";

  test.each([
    [story, "../runtime/turns/turn.ts", "runtime may not be imported by story"],
    [
      "packages/narratoria/src/runners/process.ts",
      "../sandbox/bubblewrap.ts",
      "sandbox may not be imported by runners",
    ],
    ["packages/narratoria/src/runtime/turns/turn.ts", "../../create-narratoria.ts", "may not be imported by runtime"],
    ["packages/narratoria/src/server/route.ts", "../cli/run.ts", "cli may not be imported by server"],
    ["packages/narratoria/src/surprise/new.ts", "zod", "no layer is called surprise"],
    [story, "node:fs", "story/ runs in the browser too"],
    [story, "fs", "story/ runs in the browser too"],
    ["packages/tool/src/index.ts", "zod", "@narratoria/tool has no dependencies"],
    ["packages/tool/src/index.ts", "../../narratoria/src/story/plan.ts", "leaves its package"],
    [turns, "../sessions/sessions.ts", "sessions may not be imported by turns"],
    ["packages/narratoria/src/runtime/seams/store.ts", "../mounts/mounts.ts", "mounts may not be imported by seams"],
    ["packages/narratoria/src/runtime/attic/new.ts", "../seams/store.ts", "no room is called attic"],
    ["packages/narratoria/src/runtime/loose.ts", "zod", "no room is called loose.ts"],
    ["packages/narratoria/src/cli/run.ts", "../create-narratoria.ts", "cli may import only"],
    ["packages/narratoria/src/cli/run.ts", "../server/route.ts", "cli may import only"],
    ["packages/narratoria/src/server/route.ts", "../story/plan.ts", "server may import only"],
    [page, "../../../src/server/route.ts", "the page may import"],
    [page, "../../../src/runtime/seams/session-service.ts", "the page may import"],
    [page, "../../../test/fake-clock.ts", "the page may import"],
    [page, "../../../../tool/src/json.ts", "the page may import"],
    [page, "node:fs", "the page may import"],
    [page, "../../vite-options.ts", "the page may import"],
    ["packages/narratoria/src/server/web-files.ts", "../../web/build.ts", "leaves src/"],
  ])("%s may not import %s", (from, specifier, reason) => {
    expect(problemsOf(from, specifier)).toEqual([expect.stringContaining(reason)]);
  });

  test.each([
    ["packages/narratoria/src/cli/run.ts", "../index.ts"],
    ["packages/narratoria/src/cli/serve.ts", "../server/index.ts"],
    ["packages/narratoria/src/server/route.ts", "../story/index.ts"],
    ["packages/narratoria/src/runners/process.ts", "../runtime/seams/tool-runner.ts"],
    ["packages/narratoria/src/runtime/turns/turn.ts", "node:fs"],
    [story, "@narratoria/tool/protocol"],
    ["packages/tool/src/index.ts", "node:buffer"],
    [turns, "./replans.ts"],
    [turns, "../seams/store.ts"],
    ["packages/narratoria/src/runtime/sessions/sessions.ts", "../turns/turn.ts"],
    [page, "../api.ts"],
    [page, "../../../src/story/event.ts"],
    [page, "@narratoria/tool/json"],
    [page, "react"],
    ["packages/narratoria/web/vite-options.ts", "node:fs"],
  ])("%s may import %s", (from, specifier) => {
    expect(problemsOf(from, specifier)).toEqual([]);
  });

  test("types count for the layers and the rooms; the page may know the shapes of answers by their types alone", () => {
    const found = { from: story, specifier: "../runtime/seams/store.ts", typeOnly: true };
    expect(problemsWith(found)).toHaveLength(1);
    expect(problemsWith({ ...found, from: turns, specifier: "../sessions/sessions.ts" })).toHaveLength(1);
    const shape = { from: page, specifier: "../../../src/runtime/seams/session-service.ts", typeOnly: true };
    expect(problemsWith(shape)).toEqual([]);
    expect(problemsWith({ ...shape, specifier: "../../../src/runtime/seams/store.ts" })).toHaveLength(1);
  });

  test("a cycle is named from file to file, and types make one like everything else", () => {
    const a = { from: "src/a.ts", specifier: "./b.ts", typeOnly: false };
    const b = { from: "src/b.ts", specifier: "./a.ts", typeOnly: false };
    expect(findCycles([a, b])).toEqual(["src/a.ts -> src/b.ts -> src/a.ts"]);
    expect(findCycles([a, { ...b, typeOnly: true }])).toEqual(findCycles([a, b]));
    expect(findCycles([a])).toEqual([]);
    expect(findCycles([{ ...a, specifier: "./a.ts" }])).toEqual(["src/a.ts -> src/a.ts"]);
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
  if (!isOfSources(from)) return [];
  const layer = layerOf(from);
  const rank = RANKS[layer];
  if (rank === undefined) return [`${from}: no layer is called ${layer} (${ORDER})`];
  if (to === null) return [];
  if (!isOfSources(to)) return [`${from} imports ${specifier}, which leaves src/`];
  const target = layerOf(to);
  const targetRank = RANKS[target];
  if (target === layer || (targetRank !== undefined && targetRank > rank)) return [];
  return [`${from} imports ${specifier}: ${target} may not be imported by ${layer} (${ORDER})`];
}

function findEntryProblem({ from, specifier }: Import): string[] {
  const to = resolveInRepository(from, specifier);
  if (to === null || !isOfSources(from) || !isOfSources(to) || from === LOADED_FIRST) return [];
  const layer = layerOf(from);
  const isOutside = (layer === "cli" || layer === "server") && layerOf(to) !== layer;
  // A wrong direction is named by its own rule.
  if (!isOutside || (RANKS[layerOf(to)] ?? 0) < (RANKS[layer] ?? 0)) return [];
  if (ENTRIES.some((entry) => to === `packages/narratoria/src/${entry}`)) return [];
  return [`${from} imports ${specifier}: ${layer} may import only ${ENTRIES.join(", ")}`];
}

function findRoomProblem({ from, specifier }: Import): string[] {
  if (!isOfSources(from) || layerOf(from) !== "runtime") return [];
  const room = roomOf(from);
  if (!ROOMS.includes(room)) return [`${from}: no room is called ${room} (${ROOMS.join(" -> ")})`];
  const to = resolveInRepository(from, specifier);
  if (to === null || layerOf(to) !== "runtime" || ROOMS.indexOf(roomOf(to)) >= ROOMS.indexOf(room)) return [];
  return [`${from} imports ${specifier}: ${roomOf(to)} may not be imported by ${room} (${ROOMS.join(" -> ")})`];
}

function findPageProblem({ from, specifier, typeOnly }: Import): string[] {
  if (!isOfPage(from)) return [];
  const to = resolveInRepository(from, specifier);
  const isShape = typeOnly && SHAPES_FOR_THE_PAGE.some((file) => to === `packages/narratoria/src/runtime/${file}`);
  const isAllowed = to === null ? !isBuiltin(specifier) : isOfPage(to) || (isOfSources(to) && layerOf(to) === "story");
  if (isAllowed || isShape) return [];
  return [`${from} imports ${specifier}: the page may import story/, @narratoria/tool and libraries`];
}

function findPurityProblem({ from, specifier }: Import): string[] {
  if (packageOf(from) === "tool") {
    const to = resolveInRepository(from, specifier);
    if (to !== null && packageOf(to) !== "tool") return [`${from} imports ${specifier}, which leaves its package`];
    if (to !== null || isBuiltin(specifier)) return [];
    return [`${from} imports ${specifier}: @narratoria/tool has no dependencies`];
  }
  if (!isOfSources(from) || layerOf(from) !== "story" || !isBuiltin(specifier)) return [];
  return [`${from} imports ${specifier}: story/ runs in the browser too, so it may not use Node`];
}

function findCycles(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, specifier } of imports) {
    const to = resolveInRepository(from, specifier);
    if (to !== null) targets.set(from, [...(targets.get(from) ?? []), to]);
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
  const folders = [...packages.map((name) => path.join("packages", name, "src")), "packages/narratoria/web/src"];
  return folders.flatMap((folder) => {
    const files = readdirSync(path.join(repository, folder), { recursive: true, encoding: "utf8" });
    return files
      .filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."))
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

function isOfSources(file: string): boolean {
  return file.startsWith("packages/narratoria/src/");
}

function isOfPage(file: string): boolean {
  return file.startsWith("packages/narratoria/web/src/");
}

function roomOf(file: string): string {
  return file.split("/")[4] ?? "";
}

function layerOf(file: string): string {
  return file.split("/")[3] ?? "";
}
