import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readAgentSkill } from "./agent-skill.ts";

let story: string;
beforeEach(() => {
  story = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-skill-")));
});
afterEach(() => rmSync(story, { recursive: true, force: true }));

function write(name: string, content = "", mode = 0o600): void {
  const file = join(story, "skills/maps", name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

function front(yaml: string, after = "\nAnd so on."): void {
  write("SKILL.md", `---\n${yaml}\n---${after}`);
}

const read = () => readAgentSkill(join(story, "skills/maps"), story);

/** Each by its name, with what is run. */
function commands(): unknown[] {
  return read().map((one) => (one.kind === "tool" ? [one.tool.skill, ...one.tool.command] : one.problems));
}

function problem(): unknown {
  return read().map((one) => (one.kind === "invalid" ? one.problems : "a tool"));
}

describe("[Y1.9] a skill's scripts", () => {
  test("are tools; who runs one that may not be executed goes by its name", () => {
    front("name: maps");
    for (const name of ["a.py", "b.sh", "c.js", "d.mjs", "e.ts", "f.mts"]) write(`scripts/${name}`);
    const at = (file: string): string => join(story, "skills/maps/scripts", file);
    const node = process.execPath;
    expect(commands()).toEqual([
      ["maps-a", "python3", at("a.py")],
      ["maps-b", "sh", at("b.sh")],
      ["maps-c", node, at("c.js")],
      ["maps-d", node, at("d.mjs")],
      ["maps-e", node, at("e.ts")],
      ["maps-f", node, at("f.mts")],
    ]);
  });

  test("that may be executed are run themselves; nothing else is a tool", () => {
    front("name: maps");
    for (const mode of [0o700, 0o610, 0o601]) write(`scripts/run-${mode}`, "", mode);
    write("scripts/notes.md");
    mkdirSync(join(story, "skills/maps/scripts/folder.py"));
    expect(commands()).toEqual(
      [0o601, 0o610, 0o700].map((mode) => [`maps-run-${mode}`, join(story, `skills/maps/scripts/run-${mode}`)]),
    );
  });

  test("an only one has the skill's name; without any there is no tool", () => {
    front("name: maps");
    expect(read()).toEqual([]);
    write("scripts/draw.sh");
    expect(commands()).toEqual([["maps", "sh", join(story, "skills/maps/scripts/draw.sh")]]);
  });

  test("are shown all of the state, need nothing, and are described as the skill is", () => {
    front("name: maps\ndescription: draws maps");
    write("scripts/draw.sh");
    const [one] = read();
    expect(one?.kind === "tool" && one.tool.manifest).toMatchObject({
      kind: "tool",
      protocol: "narratoria/0",
      description: "draws maps",
      reads: [""],
      capabilities: [],
    });
    expect(one?.kind === "tool" && one.tool.needs).toEqual([]);
  });
});

describe("[Y1.9] a front matter", () => {
  beforeEach(() => write("scripts/draw.sh"));

  test.each([
    ["lines of Windows", "---\r\nname: maps\r\n---\r\nMore"],
    ["nothing behind it", "---\nname: maps\n---"],
  ])("with %s is one", (_, text) => {
    write("SKILL.md", text);
    expect(commands()).toHaveLength(1);
    expect(problem()).toEqual(["a tool"]);
  });

  test.each<[what: string, text: string, pointer: string, message: string | RegExp]>([
    ["no name", "---\ndescription: x\n---\n", "/name", "a skill needs a name"],
    ["an empty name", "---\nname: ' '\n---\n", "/name", "a skill needs a name"],
    ["a number for a name", "---\nname: 7\n---\n", "/name", "a skill needs a name"],
    ["no dashes", "name: maps\n", "", "it does not begin with a front matter between two lines of ---"],
    ["dashes later", "\n---\nname: maps\n---\n", "", "it does not begin with a front matter between two lines of ---"],
    ["no end", "---\nname: maps\n", "", "it does not begin with a front matter between two lines of ---"],
    [
      "dashes with more",
      "---\nname: maps\n---x\n",
      "",
      "it does not begin with a front matter between two lines of ---",
    ],
    ["a list", "---\n- name\n---\n", "", "its front matter is no mapping"],
    ["no YAML", "---\nname: [\n---\n", "", /^its front matter is not valid YAML: /],
    ["too much", `---\nname: ${"m".repeat(64 * 1024)}\n---\n`, "", "its front matter is longer than 64 KiB"],
  ])("with %s is none", (_, text, pointer, message) => {
    write("SKILL.md", text);
    const said = typeof message === "string" ? message : (expect.stringMatching(message) as string);
    expect(problem()).toEqual([[{ pointer, message: said }]]);
  });

  test("that is gone, or no file, is told", () => {
    expect(problem()).toEqual([[{ pointer: "", message: "it is gone" }]]);
    mkdirSync(join(story, "skills/maps/SKILL.md"));
    expect(problem()).toEqual([
      [{ pointer: "", message: "it is a folder, not a file; stories are read from plain files only" }],
    ]);
  });
});
