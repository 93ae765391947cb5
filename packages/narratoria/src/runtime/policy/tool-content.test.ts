import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ModuleDescriptor } from "../../story/module-descriptor.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import {
  changedParts,
  CONTENT_LIMITS,
  createToolContents,
  type ContentOptions,
  type ToolParts,
} from "./tool-content.ts";

let root: string;
let story: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-content-")));
  story = join(root, "story");
  write("story/tools/it/run.sh", "exit 0");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, content = "", mode = 0o600): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode });
  return path;
}

const MANIFEST_OF_IT = {
  name: "it",
  kind: "tool",
  protocol: "narratoria/0",
  transport: { type: "stdio", command: ["sh", "run.sh"] },
} as ModuleDescriptor;

function tool(more: Partial<ResolvedTool> = {}): ResolvedTool {
  const dir = join(story, "tools/it");
  return { ...bareTool(join(dir, "run.sh"), "it"), dir, command: ["sh"], manifest: MANIFEST_OF_IT, ...more };
}

async function look(of: ResolvedTool = tool(), options: Partial<ContentOptions> = {}) {
  return createToolContents(options).contentOf(story, of);
}

async function partsOf(of: ResolvedTool = tool(), options: Partial<ContentOptions> = {}): Promise<ToolParts> {
  const content = await look(of, options);
  if (content.kind !== "content") throw new Error(`it ${content.why}`);
  return content.parts;
}

async function filesOf(of: ResolvedTool = tool(), options: Partial<ContentOptions> = {}): Promise<string[]> {
  const { manifest: _, command: __, ...files } = await partsOf(of, options);
  return Object.keys(files).toSorted();
}

describe("[Z1.5] a tool is made of", () => {
  test("every file of its own folder, and the code of its story", async () => {
    for (const name of ["tools/it/data.txt", "tools/it/deep/er.md", "lib/code.py", "notes.md", "art.png"])
      write(`story/${name}`);
    const own = ["./tools/it/data.txt", "./tools/it/deep/er.md", "./tools/it/run.sh"];
    expect(await filesOf()).toEqual(["./lib/code.py", ...own]);
    expect(await filesOf(tool({ manifest: null }))).toEqual(["./lib/code.py", "./tools/it/run.sh"]);
  });

  test.each([".", "..", "tools", "skills"])("no folder of its own where others lie in it as well: %s", async (dir) => {
    write("story/tools/it/data.txt");
    write("story/skills/notes.md");
    expect(await filesOf(tool({ dir: join(story, dir) }))).toEqual(["./tools/it/run.sh"]);
  });

  test("of a folder outside the story too, where that is its own", async () => {
    write("elsewhere/data.txt");
    expect(await filesOf(tool({ dir: join(root, "elsewhere") }))).toEqual([
      "./tools/it/run.sh",
      join(root, "elsewhere/data.txt"),
    ]);
  });

  test.each([
    ["lib.PY", true],
    ["Makefile", true],
    ["package.json", true],
    ["lib.so.1.2", true],
    ["lib.so.x", false],
    ["lib.so.1.x", false],
    ["other.json", false],
    ["package.json.txt", false],
    ["a.wasm", true],
    ["a.jar", true],
    ["a.tsx", true],
    ["a.ink", false],
  ])("%s is code: %s", async (name, isCode) => {
    write(`story/lib/${name}`);
    expect((await filesOf()).includes(`./lib/${name}`)).toBe(isCode);
  });

  test.each([0o700, 0o610, 0o601])("a file that may be executed, whatever its name: mode %o", async (mode) => {
    chmodSync(write("story/lib/notes.md"), mode);
    mkdirSync(join(story, "lib/folder.md"), { mode: 0o700 });
    expect(await filesOf()).toEqual(["./lib/notes.md", "./tools/it/run.sh"]);
  });

  test("of what git keeps only what is plainly code", async () => {
    for (const name of ["HEAD", "x.py", "deep/HEAD", "deep/y.js"]) write(`story/.git/${name}`);
    write("story/git/HEAD");
    expect(await filesOf()).toEqual(["./.git/deep/y.js", "./.git/x.py", "./git/HEAD", "./tools/it/run.sh"]);
  });

  test("nothing of what no tool sees", async () => {
    write("story/data/kept.py");
    write("story/other/kept.py");
    expect(await filesOf(tool(), { hidden: [join(story, "data")] })).toEqual(["./other/kept.py", "./tools/it/run.sh"]);
  });

  test("a pipe or a socket as one: it is not opened", async () => {
    const { execFileSync } = await import("node:child_process");
    execFileSync("mkfifo", [join(story, "tools/it/pipe")]);
    expect((await partsOf())["./tools/it/pipe"]).toBe("no file");
  });
});

describe("[Z1.5] a link counts by where it leads", () => {
  test("and by what is there only inside the story", async () => {
    write("story/notes.md", "before");
    write("outside.py", "before");
    symlinkSync("../../notes.md", join(story, "tools/it/inside"));
    symlinkSync(join(root, "outside.py"), join(story, "tools/it/outside"));
    const before = await partsOf();
    expect(Object.keys(before)).toContain("./notes.md");
    write("outside.py", "after it");
    expect(changedParts(before, await partsOf())).toEqual([]);
    write("story/notes.md", "after it");
    expect(changedParts(before, await partsOf())).toEqual(["./notes.md"]);
    write("other.py");
    rmSync(join(story, "tools/it/outside"));
    symlinkSync(join(root, "other.py"), join(story, "tools/it/outside"));
    expect(changedParts(before, await partsOf()).toSorted()).toEqual(["./notes.md", "./tools/it/outside"]);
  });

  test("also when it is spelled otherwise, or what it says leads elsewhere", async () => {
    for (const name of ["one", "two"]) mkdirSync(join(root, name));
    symlinkSync(join(root, "one"), join(root, "way"));
    symlinkSync(join(root, "way"), join(story, "lib"));
    const before = await partsOf();
    rmSync(join(root, "way"));
    symlinkSync(join(root, "two"), join(root, "way"));
    const moved = await partsOf();
    expect(changedParts(before, moved)).toEqual(["./lib"]);
    rmSync(join(story, "lib"));
    symlinkSync(join(root, "two"), join(story, "lib"));
    expect(changedParts(moved, await partsOf())).toEqual(["./lib"]);
  });

  test("and is there where it leads to a folder or to code; elsewhere it is none", async () => {
    write("code.py");
    write("picture.png");
    mkdirSync(join(root, "folder"));
    for (const name of ["code.py", "picture.png", "folder", "nothing.png", "nothing.py"])
      symlinkSync(join(root, name), join(story, `${name}.png`));
    expect(await filesOf()).toEqual(["./code.py.png", "./folder.png", "./nothing.py.png", "./tools/it/run.sh"]);
  });

  test("that leads to a folder inside is not followed twice", async () => {
    write("story/lib/code.py");
    symlinkSync("lib", join(story, "same"));
    expect(await filesOf()).toEqual(["./lib/code.py", "./same", "./tools/it/run.sh"]);
  });
});

describe("[Z1.5] its command", () => {
  test("the files it names, absolute, wherever they lie; the system's interpreters are not among them", async () => {
    const program = write("bin/program.md");
    const argument = write("bin/argument.md");
    const named = ["./tools/it/run.sh", argument, program];
    expect(
      await filesOf(tool({ command: [program, "-x", argument, "run.sh", join(root, "bin"), "/no/such"] })),
    ).toEqual(named);
    for (const interpreter of ["sh", "python3", process.execPath])
      expect(await filesOf(tool({ command: [interpreter, argument] }))).toEqual(["./tools/it/run.sh", argument]);
    expect(await filesOf(tool({ command: [] }))).toEqual(["./tools/it/run.sh"]);
  });

  test("what it names by a link is the file there", async () => {
    const program = write("bin/program.md");
    symlinkSync(program, join(root, "bin/link"));
    expect(await filesOf(tool({ command: [join(root, "bin/link")] }))).toContain(program);
  });

  test("a program without a place is the first of that name on the path", async () => {
    const PATH = process.env["PATH"];
    try {
      const folders = ["one", "two", "three"].map((name) => join(root, name));
      mkdirSync(join(root, "one/tuner"), { recursive: true });
      for (const name of ["two", "three"]) write(`${name}/tuner`);
      process.env["PATH"] = ["story/tools", ...folders].join(delimiter);
      expect(await filesOf(tool({ command: ["tuner"] }))).toEqual(["./tools/it/run.sh", join(root, "two/tuner")]);
      expect(await filesOf(tool({ command: ["no-such"] }))).toEqual(["./tools/it/run.sh"]);
      delete process.env["PATH"];
      expect(await filesOf(tool({ command: ["tuner"] }))).toEqual(["./tools/it/run.sh"]);
    } finally {
      process.env["PATH"] = PATH;
    }
  });

  test.each<[what: string, part: string, more: Partial<ResolvedTool>]>([
    ["what its manifest says", "manifest", { manifest: { ...MANIFEST_OF_IT, description: "other" } }],
    ["what it needs", "manifest", { needs: ["net.fetch"] }],
    ["its environment", "manifest", { env: { A: "1" } }],
    ["what a service is shown", "manifest", { credentials: { authorization: "Basic x", secrets: ["x"] } }],
    ["its command", "command", { command: ["sh", "-x"] }],
  ])("%s counts", async (_, part, more) => {
    expect(changedParts(await partsOf(), await partsOf(tool(more)))).toEqual([part]);
  });

  test("where it runs counts", async () => {
    write("story/tools/other/run.sh");
    const before = await partsOf(tool({ manifest: null }));
    const moved = await partsOf(tool({ manifest: null, dir: join(story, "tools/other") }));
    expect(changedParts(before, moved)).toEqual(["command"]);
  });
});

describe("[Z1.5] what cannot be known", () => {
  const LIMITS = { files: 3, bytes: 20, entries: 7, deep: 2 };
  const why = async (of: ResolvedTool = tool()): Promise<string> => {
    const content = await look(of, { limits: LIMITS });
    return content.kind === "content" ? "known" : content.why;
  };

  test("too many files", async () => {
    for (const name of ["a", "b"]) write(`story/${name}`);
    expect(await why()).toBe("known");
    write("story/c");
    expect(await why()).toBe("is made of more than 3 files");
  });

  test("too much", async () => {
    write("story/a", "x".repeat(20 - "exit 0".length));
    expect(await why()).toBe("known");
    write("story/b", "x");
    expect(await why()).toBe(`is made of more than ${20 / 1024 / 1024} MiB`);
  });

  test("too many things to look at", async () => {
    // Its own folder has one thing; the story's way there three.
    for (const name of ["a.md", "b.md", "c.md"]) write(`story/${name}`);
    expect(await why()).toBe("known");
    write("story/d.md");
    expect(await why()).toBe("has a story of more than 7 files");
  });

  test("too deep", async () => {
    write("story/a/b/x.md");
    expect(await why(tool({ manifest: null }))).toBe("known");
    write("story/a/b/c/x.md");
    expect(await why(tool({ manifest: null }))).toBe("lies in folders more than 2 deep");
  });

  test("a folder that is not there", async () => {
    expect(await why(tool({ dir: join(root, "gone") }))).toBe("has a folder that cannot be read");
  });

  test("what is usual is far from the limits", () => {
    expect(CONTENT_LIMITS).toEqual({ files: 5_000, bytes: 67_108_864, entries: 20_000, deep: 32 });
  });

  test("whatever else goes wrong is not hidden", async () => {
    const digests = { digestOf: () => Promise.reject(new Error("ours")) };
    await expect(look(tool(), { digests })).rejects.toThrow("ours");
  });
});

test("while a tool is looked at others have their turn, at each thing", async () => {
  let rests = 0;
  let isWaiting = false;
  const rest = async (): Promise<void> => {
    rests++;
    isWaiting = true;
    await new Promise((next) => setImmediate(next));
    isWaiting = false;
  };
  const digests = { digestOf: async () => (expect(isWaiting).toBe(false), "digest") };
  await look(tool({ manifest: null }), { rest, digests });
  // tools, it, run.sh
  expect(rests).toBe(3);
});

test("the parts that differ are those changed, gone and new, each once", () => {
  expect(changedParts({ a: "1", b: "1", c: "1" }, { a: "1", b: "2", d: "1" })).toEqual(["b", "c", "d"]);
  expect(changedParts({ toString: "1" }, {})).toEqual(["toString"]);
});
