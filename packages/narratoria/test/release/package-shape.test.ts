/** What is in the two packages, what npm makes of them, and whether their types are found: all of it is pinned here. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { build } from "rolldown";
import { beforeAll, describe, expect, test } from "vitest";
import { INSTALL_MS, installedPackages, type InstalledPackages } from "../installed-packages.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");
const NAMES = ["narratoria", "@narratoria/tool"];
const ENTRIES = ["narratoria", "narratoria/data", "narratoria/server", "narratoria/story"];
const TOOL_ENTRIES = ["", "/json", "/ndjson", "/protocol"].map((name) => `@narratoria/tool${name}`);

/** A download of seconds, and less than the pictures of one story. It was 1.0 MB, 3.9 MB and 120 files at first. */
const MOST = { packedBytes: 1_500_000, unpackedBytes: 6_000_000, files: 160 };
/** For somebody who writes a tool. It was 12 kB and 15 files at first. */
const MOST_OF_TOOL = { packedBytes: 20_000, unpackedBytes: 80_000, files: 20 };
/** With what they depend on: zod and hono are most of it. */
const MOST_INSTALLED = { bytes: 20_000_000, packages: 4 };

let installed: InstalledPackages;
beforeAll(async () => {
  installed = await installedPackages();
}, INSTALL_MS);

describe("the packages", () => {
  test("hold what people need, and nothing that was only needed to make them", () => {
    const files = filesBelow(installed.narratoria);
    const wanted = [
      ...["LICENSE", "README.md", "CHANGELOG.md", "THIRD-PARTY-LICENCES.md", "bin/narratoria.js", "web/index.html"],
      ...["index", "data", "server", "story"].flatMap((name) => [`lib/${name}.js`, `lib/${name}.d.ts`]),
      ...["lib/tool_host.py", "sdks/python/narratoria_tool.py", "contracts/event.schema.json"],
      ...["stories/the-lamp-under-the-hill/story.ink", "tools/dice-roller/dice-roller.mjs"],
    ];
    expect(files).toEqual(expect.arrayContaining(wanted));
    expect(files.filter((file) => /(?<!\.d)\.[cm]?tsx?$|\.test\.|__pycache__|\.map$|tsconfig/.test(file))).toEqual([]);
    expect(filesBelow(folderOf("@narratoria/tool"))).toEqual(expect.arrayContaining(["LICENSE", "README.md"]));
  });

  test("are no larger than what was decided", () => {
    const sizes = NAMES.map((name) => sizeOf(name));
    const told = sizes.map(
      (size) => `${size.name}: ${size.packedBytes} bytes packed, ${size.unpackedBytes} unpacked, ${size.files} files`,
    );
    const installedBytes = filesBelow(installed.folder).reduce(
      (sum, file) => sum + statSync(join(installed.folder, file)).size,
      0,
    );
    const [own, tool] = sizes;
    expect(own).toSatisfy((size: Size) => isWithin(size, MOST), told[0]);
    expect(tool).toSatisfy((size: Size) => isWithin(size, MOST_OF_TOOL), told[1]);
    expect(installedBytes).toBeLessThan(MOST_INSTALLED.bytes);
    const packages = filesBelow(join(installed.folder, "node_modules")).filter((file) =>
      /^(@[^/]+\/)?[^/]+\/package\.json$/.test(file),
    );
    expect(packages.length, packages.join(" ")).toBeLessThanOrEqual(MOST_INSTALLED.packages);
  });

  test("have one version, few dependencies, all exact, and no scripts", () => {
    const [own, tool] = NAMES.map((name) => manifestOf(name));
    expect(own?.["version"]).toBe(tool?.["version"]);
    const { zod, hono } = manifestOf(join(ROOT, "packages/narratoria"))["dependencies"] as Record<string, string>;
    expect(own?.["dependencies"]).toEqual({ "@narratoria/tool": tool?.["version"], hono, zod });
    expect(tool).not.toHaveProperty("dependencies");
    for (const manifest of [own, tool]) {
      expect(manifest).toMatchObject({ license: "MIT", type: "module", engines: { node: ">=22.18" } });
      expect(manifest).not.toHaveProperty("scripts");
      expect(manifest).not.toHaveProperty("devDependencies");
    }
  });

  test("carry the licence of every package whose code they hold", () => {
    const text = readFileSync(join(installed.narratoria, "THIRD-PARTY-LICENCES.md"), "utf8");
    const headings = Array.from(text.matchAll(/^## (\S+) /gm), ([, name]) => name);
    expect(headings).toEqual(
      expect.arrayContaining(["commander", "inkjs", "react", "react-dom", "@m3e/web", "yaml", "lit"]),
    );
    expect(text).not.toContain("UNKNOWN");
    expect(text).not.toContain("holds no further text");
  });

  test.each(NAMES)("publint finds nothing in %s", async (name) => {
    const { messages } = await publint({ pkgDir: folderOf(name), pack: false, level: "suggestion" });
    expect(messages.map((message) => formatMessage(message, manifestOf(name)))).toEqual([]);
  });

  test.each(NAMES)("are the types wrong in %s? No", async (name) => {
    const tarball = name === "narratoria" ? installed.tarballs.narratoria : installed.tarballs.tool;
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
    const { problems } = analysis as { problems?: { kind: string; resolutionKind?: string }[] };
    // The packages are modules: the resolution of Node before 12 knows no entries, and require() gets modules from 22.12 on.
    const ignored = ["node10", "node16-cjs"];
    expect(problems?.filter(({ resolutionKind = "" }) => !ignored.includes(resolutionKind))).toEqual([]);
  });
});

describe("a program that installed them", () => {
  const settings = {
    nodenext: ["--module", "nodenext"],
    node16: ["--module", "node16"],
    bundler: ["--module", "esnext", "--moduleResolution", "bundler"],
  };
  test.each(Object.entries(settings))("finds their types with %s, and mistakes are found too", (_, options) => {
    const imports = [...ENTRIES, ...TOOL_ENTRIES].map((name, index) => `import * as e${index} from "${name}";`);
    const uses = imports.map((_line, index) => `export const names${index}: object = e${index};`);
    const right = `import { openNarratoria } from "narratoria";\nimport { foldView } from "narratoria/story";
      export const open: Promise<{ close(): Promise<void> }> = openNarratoria({});\nexport const fold: Function = foldView;`;
    const wrong = `// @ts-expect-error A number is no folder.\nvoid openNarratoria({ dataDir: 5 });`;
    expect(checkTypes([...imports, ...uses, right, wrong].join("\n"), options)).toBe("");
  });

  test("gets from each entry what the sources export", async () => {
    for (const [name, source] of Object.entries(sourcesOfEntries())) {
      const script = `import(${JSON.stringify(name)}).then((m) => process.stdout.write(JSON.stringify(Object.keys(m).sort())))`;
      const run = spawnSync(process.execPath, ["-e", script], { cwd: installed.folder, encoding: "utf8" });
      const names = Object.keys((await import(source)) as object).sort();
      expect(JSON.parse(run.stdout || "[]"), `${name}: ${run.stderr}`).toEqual(names);
    }
  });

  test("narratoria/story needs nothing of Node", async () => {
    const { output } = await build({
      input: "story",
      platform: "browser",
      write: false,
      logLevel: "silent",
      plugins: [
        {
          name: "story",
          resolveId: (id) => (id === "story" ? join(installed.folder, "story.js") : null),
          load: (id) => (id === join(installed.folder, "story.js") ? `export * from "narratoria/story";` : null),
        },
      ],
    });
    expect(output).toHaveLength(1);
    expect(output[0].imports).toEqual([]);
    expect(output[0].exports).toContain("foldView");
  });
});

interface Size {
  name: string;
  packedBytes: number;
  unpackedBytes: number;
  files: number;
}

function sizeOf(name: string): Size {
  const files = filesBelow(folderOf(name));
  const unpackedBytes = files.reduce((sum, file) => sum + statSync(join(folderOf(name), file)).size, 0);
  const tarball = name === "narratoria" ? installed.tarballs.narratoria : installed.tarballs.tool;
  return { name, packedBytes: statSync(tarball).size, unpackedBytes, files: files.length };
}

function isWithin(size: Size, most: Omit<Size, "name">): boolean {
  return (Object.keys(most) as (keyof typeof most)[]).every((key) => size[key] <= most[key]);
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function folderOf(name: string): string {
  return join(installed.folder, "node_modules", name);
}

/** Of an installed package by its name, or of a folder. */
function manifestOf(name: string): Record<string, unknown> {
  const folder = name.startsWith("/") ? name : folderOf(name);
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
}

function sourcesOfEntries(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const folder of ["packages/narratoria", "packages/tool"]) {
    const { name, exports } = manifestOf(join(ROOT, folder)) as { name: string; exports: Record<string, string> };
    for (const [key, source] of Object.entries(exports)) {
      if (source.endsWith(".ts")) found[name + key.slice(1)] = join(ROOT, folder, source);
    }
  }
  return found;
}

function checkTypes(text: string, options: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "narratoria-types-"));
  const file = join(installed.folder, `consumer-${process.pid}.mts`);
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  try {
    writeFileSync(file, text);
    const args = [tsc, "--noEmit", "--strict", "--target", "es2022", "--lib", "es2024", "--types", "node", ...options];
    args.push("--typeRoots", join(ROOT, "node_modules/@types"), file);
    return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" }).stdout;
  } finally {
    rmSync(file, { force: true });
    rmSync(folder, { recursive: true });
  }
}
