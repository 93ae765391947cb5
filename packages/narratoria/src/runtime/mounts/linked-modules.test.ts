/** What links show, asked of the function itself; `test/linked-modules.test.ts` has tools import it, and try more. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { linkedModules, type LinkedModules } from "./linked-modules.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-linked-")));
  write("story/tools/it/tool.mjs", "");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, content: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), content);
}

function packageAt(place: string, name: unknown): void {
  write(`${place}/package.json`, JSON.stringify({ name }));
}

/** From a place to another below the same folder. */
function link(place: string, target: string): void {
  mkdirSync(dirname(join(root, place)), { recursive: true });
  symlinkSync(join(root, target), join(root, place));
}

/** As a tool of the story has it, whose program lies in `tools/it/`. */
function seen(more: { command?: string[]; readFolders?: string[]; hidden?: string[] } = {}): Promise<LinkedModules> {
  const { command = ["story/tools/it/tool.mjs"], readFolders = [], hidden = [] } = more;
  const at = (name: string): string => join(root, name);
  const program = { command: command.map(at), storyDir: at("story"), readFolders: readFolders.map(at) };
  return linkedModules(program, hidden.map(at));
}

/** The folders by their names below the test's own. */
async function shown(more: Parameters<typeof seen>[0] = {}): Promise<string[]> {
  return (await seen(more)).folders.map((one) => one.folder.slice(root.length + 1));
}

describe("[T1.2] what is shown", () => {
  test("nothing, where nothing is linked", async () => {
    packageAt("story/tools/it/node_modules/ping", "ping");
    expect(await seen()).toEqual({ folders: [], links: [] });
  });

  test("a node_modules elsewhere, with which folder it is and the way to it", async () => {
    packageAt("far/node_modules/ping", "ping");
    link("between", "far");
    link("story/tools/it/node_modules", "between/node_modules");
    const { ino, dev } = statSync(join(root, "far/node_modules"), { bigint: true });
    expect(await seen()).toEqual({
      folders: [{ folder: join(root, "far/node_modules"), identity: `${dev} ${ino}`, covered: [] }],
      links: [
        {
          link: join(root, "story/tools/it/node_modules"),
          says: join(root, "between/node_modules"),
          target: join(root, "far/node_modules"),
        },
      ],
    });
  });

  test("a package by its own name, without what begins with a dot in it", async () => {
    packageAt("work/ping", "ping");
    for (const name of [".env", ".git/config"]) write(`work/ping/${name}`, "");
    link("work/ping/.link", "work");
    link("story/tools/it/node_modules/ping", "work/ping");
    const [found, ...others] = (await seen()).folders;
    expect(others).toEqual([]);
    expect(found?.folder).toBe(join(root, "work/ping"));
    expect(found?.covered.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: join(root, "work/ping/.env"), isFolder: false },
      { path: join(root, "work/ping/.git"), isFolder: true },
    ]);
  });

  test("a package with a scope, whose name has both parts", async () => {
    packageAt("work/ping", "@us/ping");
    packageAt("work/pong", "pong");
    link("story/tools/it/node_modules/@us/ping", "work/ping");
    link("story/tools/it/node_modules/@us/pong", "work/pong");
    expect(await shown()).toEqual(["work/ping"]);
  });

  test("only one folder deep, and a scope only where one stands", async () => {
    for (const [at, name] of [
      ["@us/@inner/ping", "@us/@inner/ping"],
      ["plain/ping", "plain/ping"],
      ["plain/pong", "pong"],
    ]) {
      packageAt(`work/${name}`, name);
      link(`story/tools/it/node_modules/${at}`, `work/${name}`);
    }
    expect(await shown()).toEqual([]);
  });

  test("of pnpm's store all that lies below its outermost node_modules, and what is linked beside the package", async () => {
    packageAt("store/node_modules/.pnpm/ping@1/node_modules/ping", "ping");
    packageAt("work/pong", "pong");
    link("store/node_modules/.pnpm/ping@1/node_modules/pong", "work/pong");
    link("story/tools/it/node_modules/ping", "store/node_modules/.pnpm/ping@1/node_modules/ping");
    expect(await shown()).toEqual(["store/node_modules", "work/pong"]);
  });

  test("what a linked package has linked in turn; a circle of them ends", async () => {
    packageAt("work/ping", "ping");
    packageAt("work/pong", "pong");
    link("story/tools/it/node_modules/ping", "work/ping");
    link("work/ping/node_modules/pong", "work/pong");
    link("work/pong/node_modules/ping", "work/ping");
    expect(await shown()).toEqual(["work/ping", "work/pong"]);
    expect((await seen()).links).toHaveLength(3);
  });

  test("what lies in the story, or in a folder it may read, is there already and is no link to make", async () => {
    packageAt("story/shared/ping", "ping");
    packageAt("tools/pong", "pong");
    link("story/tools/it/node_modules/ping", "story/shared/ping");
    link("story/tools/it/node_modules/pong", "tools/pong");
    expect(await seen({ readFolders: ["tools"] })).toEqual({ folders: [], links: [] });
    expect(await shown()).toEqual(["tools/pong"]);
  });

  test("but what such a package has linked from elsewhere is", async () => {
    packageAt("story/shared/ping", "ping");
    packageAt("work/pong", "pong");
    link("story/tools/it/node_modules/ping", "story/shared/ping");
    link("story/shared/ping/node_modules/pong", "work/pong");
    expect(await shown()).toEqual(["work/pong"]);
  });
});

describe("[T1.2] where it is looked for", () => {
  test("beside the program and in every folder above it, up to the story's own", async () => {
    for (const place of ["story/tools/it", "story/tools", "story"]) {
      const name = place.replaceAll("/", "-");
      packageAt(`work/${name}`, name);
      link(`${place}/node_modules/${name}`, `work/${name}`);
    }
    packageAt("work/outside", "outside");
    link("node_modules/outside", "work/outside");
    expect((await shown()).toSorted()).toEqual(["work/story", "work/story-tools", "work/story-tools-it"]);
  });

  test("of every file that the command names inside, also in a folder it may read", async () => {
    write("lib/main.mjs", "");
    write("elsewhere/main.mjs", "");
    for (const place of ["lib", "elsewhere"]) {
      packageAt(`work/${place}`, place);
      link(`${place}/node_modules/${place}`, `work/${place}`);
    }
    const command = ["elsewhere/main.mjs", "lib/main.mjs"];
    expect(await shown({ command })).toEqual([]);
    expect(await shown({ command, readFolders: ["lib"] })).toEqual(["work/lib"]);
  });

  test("not of words that are no path", async () => {
    packageAt("work/ping", "ping");
    link("story/node_modules/ping", "work/ping");
    const program = { command: ["node", "tool.mjs"], storyDir: join(root, "story"), readFolders: [] };
    expect(await linkedModules(program, [])).toEqual({ folders: [], links: [] });
  });
});

describe("[Z1.3] what is not shown", () => {
  test.each<[what: string, name: string, content: string]>([
    ["another name", "package.json", `{"name":"pong"}`],
    ["no name", "package.json", "{}"],
    ["a list", "package.json", `["ping"]`],
    ["no JSON", "package.json", "ping"],
    ["more than a manifest may be", "package.json", `{"name":"ping","x":"${"x".repeat(256 * 1024)}"}`],
    ["no manifest at all", "index.js", ""],
  ])("a folder that is no package of that name: %s", async (_, name, content) => {
    write(`work/ping/${name}`, content);
    link("story/tools/it/node_modules/ping", "work/ping");
    expect(await seen()).toEqual({ folders: [], links: [] });
  });

  test("nor what is linked in it", async () => {
    packageAt("work/ping", "other");
    packageAt("work/pong", "pong");
    link("work/ping/node_modules/pong", "work/pong");
    link("story/tools/it/node_modules/ping", "work/ping");
    expect(await shown()).toEqual([]);
  });

  test("a manifest as large as it may be counts", async () => {
    const [before, after] = [`{"name":"ping","x":"`, `"}`];
    write("work/ping/package.json", before + "x".repeat(256 * 1024 - before.length - after.length) + after);
    link("story/tools/it/node_modules/ping", "work/ping");
    expect(await shown()).toEqual(["work/ping"]);
  });

  test("a manifest that is a link", async () => {
    packageAt("bait", "ping");
    link("work/ping/package.json", "bait/package.json");
    link("story/tools/it/node_modules/ping", "work/ping");
    expect(await shown()).toEqual([]);
  });

  test("a file, a link into nothing, and a folder by another name than node_modules", async () => {
    write("work/node_modules", "");
    link("story/tools/it/node_modules", "work/node_modules");
    link("story/tools/node_modules", "nowhere/node_modules");
    packageAt("letters/ping", "ping");
    link("story/node_modules", "letters");
    expect(await seen()).toEqual({ folders: [], links: [] });
  });

  test("where keys are kept, and what is hidden from every tool", async () => {
    packageAt("work/ping", "ping");
    packageAt("work/pong", "pong");
    write("work/ping/id_ed25519", "");
    for (const name of ["ping", "pong"]) link(`story/tools/it/node_modules/${name}`, `work/${name}`);
    expect(await shown()).toEqual(["work/pong"]);
    expect(await shown({ hidden: ["work"] })).toEqual([]);
  });

  test("more than 256 folders", async () => {
    for (let n = 0; n < 257; n++) {
      packageAt(`work/p${n}`, `p${n}`);
      link(`story/tools/it/node_modules/p${n}`, `work/p${n}`);
    }
    const { folders, links } = await seen();
    expect([folders.length, links.length]).toEqual([256, 256]);
  });

  test("(as an ordinary user) what cannot be looked at is passed over", async ({ skip }) => {
    skip(process.getuid?.() === 0, "root looks everywhere");
    packageAt("work/ping", "ping");
    link("story/tools/it/node_modules/ping", "work/ping");
    mkdirSync(join(root, "story/tools/node_modules"));
    chmodSync(join(root, "story/tools/node_modules"), 0);
    expect(await shown()).toEqual(["work/ping"]);
  });
});
