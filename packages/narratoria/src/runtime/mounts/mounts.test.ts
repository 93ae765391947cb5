import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "@narratoria/tool/json";
import { findMounts } from "./mounts.ts";
import { mountManifest } from "./read-manifest.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { DEFAULT_LIMITS, MOST_LIMITS } from "../seams/sandbox.ts";

let root: string;
let story: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-mounts-")));
  story = join(root, "story");
  mkdirSync(story);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, content: string | object, mode = 0o755): string {
  const file = join(story, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  chmodSync(file, mode);
  return file;
}

function manifest(name: string, command: string[], more: JsonObject = {}): JsonObject {
  return {
    name,
    kind: "tool",
    protocol: "narratoria/0",
    transport: { type: "stdio", command },
    capabilities: [],
    ...more,
  };
}

function mount(value: Json, folder = story): ResolvedTool {
  const reading = mountManifest(value, folder, story);
  if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
  return reading.tool;
}

describe("[P1.6] commands that need nobody's leave", () => {
  test("a file of the story, from the manifest's folder", () => {
    const file = write("tools/x/run.sh", "");
    const tool = mount(manifest("x", ["./run.sh", "--fast"]), join(story, "tools/x"));
    expect([tool.command, tool.needs]).toEqual([[file, "--fast"], []]);
    expect(tool.readFolders).toContain(story);
  });

  test.each([
    ["python3", "python3"],
    ["sh", "sh"],
    ["node", process.execPath],
  ])("%s with a file of the story", (interpreter, program) => {
    const file = write("tools/x/tool", "");
    const tool = mount(manifest("x", [interpreter, "tool", "-v"]), join(story, "tools/x"));
    expect([tool.command, tool.needs]).toEqual([[program, file, "-v"], []]);
  });

  test("a tool that ships with Narratoria keeps its own protocol and needs, under the story's name for it", () => {
    const value = { name: "torch", kind: "tool", transport: { type: "stdio", command: ["builtin:torch-lighter"] } };
    const tool = mount({ ...value, capabilities: ["net.fetch"], limits: { memoryMb: 64 } });
    expect([tool.skill, tool.needs, tool.manifest?.protocol, tool.limits.memoryMb]).toEqual([
      "torch",
      [],
      "narratoria/0",
      64,
    ]);
    expect(tool.command.at(-1)).toMatch(/torch-lighter\.py$/);
  });
});

describe("[P1.6] commands that need exec.spawn", () => {
  test.each<[command: string[]]>([
    [["/bin/rm", "-rf", "/"]],
    [["npx", "-y", "some-server"]],
    [["python3", "-c", "print(1)"]],
    [["python3", "-m", "http.server"]],
    [["sh", "-c", "rm -rf ~"]],
    [["node", "--eval", "1"]],
    [["python3", "/etc/hostname"]],
    [["python3", "../outside.py"]],
    [["python3"]],
    [["bash", "tool.sh"]],
    [["../outside.py"]],
    [["./link"]],
    [["/usr/bin/env", "python3", "tool.sh"]],
  ])("%j", (command) => {
    write("tool.sh", "");
    writeFileSync(join(root, "outside.py"), "");
    symlinkSync("/bin/sh", join(story, "link"));
    expect(mount(manifest("x", command)).needs).toEqual(["exec.spawn"]);
  });

  test("it is asked for once, also when the manifest asks too", () => {
    const tool = mount(manifest("x", ["npx", "y"], { capabilities: ["exec.spawn", "net.fetch", "fast"] }));
    expect(tool.needs).toEqual(["exec.spawn", "net.fetch"]);
  });

  test("then its folder may be read, but not what its arguments name, nor somebody's home", () => {
    writeFileSync(join(root, "outside.py"), "");
    const readable = (command: string[]): boolean[] => {
      const { readFolders } = mount(manifest("x", command));
      return ["/", "/etc", homedir(), root, "/usr/bin"].map((folder) => readFolders.includes(folder));
    };
    expect(readable(["/usr/bin/env", "/etc/passwd", "/tmp"])).toEqual([false, false, false, false, true]);
    expect(readable(["python3", join(root, "outside.py"), "/etc/passwd"])).toEqual([false, false, false, true, false]);
    expect(readable([join(homedir(), "no-such-program")])).toEqual([false, false, false, false, false]);
  });
});

describe("limits", () => {
  test("a manifest may ask for less, and for more within reason", () => {
    write("tool.sh", "");
    const limits = { memoryMb: 64, processes: 1_000_000, diskMb: 10, outputMb: 5, cpuSeconds: null };
    expect(mount(manifest("x", ["sh", "tool.sh"], { limits })).limits).toEqual({
      ...DEFAULT_LIMITS,
      memoryMb: 64,
      processes: MOST_LIMITS.processes,
      diskMb: 10,
      outputMb: 5,
    });
  });
});

describe("what is mounted in a story", () => {
  test("declared manifests, tool.json folders of tools/ and skills/, bare executables of tools/", () => {
    write("tools/a/tool.json", manifest("a", ["sh", "a.sh"]));
    write("tools/a/a.sh", "");
    write("skills/b/tool.json", manifest("b", ["./b"]));
    write("skills/b/b", "");
    write("tools/c.py", "");
    write("tools/readme.md", "", 0o644);
    mkdirSync(join(story, "tools/empty"));
    const { mounts, problems } = findMounts(story, [manifest("d", ["sh", "tools/a/a.sh"])]);
    expect([...mounts.keys()].toSorted()).toEqual(["a", "b", "c", "d"]);
    expect(problems).toEqual([]);
    expect(mounts.get("c")).toMatchObject({ command: [join(story, "tools/c.py")], needs: [], manifest: null });
  });

  test("a broken manifest hides no other, and every problem names its file and field", () => {
    write("tools/bad/tool.json", { name: "", kind: "spoon", transport: { type: "stdio" }, capabilities: [] });
    write("tools/torn/tool.json", '{"name":');
    write("tools/good/tool.json", manifest("good", ["./good"]));
    const builtin = manifest("x", ["builtin:no-such-tool"]);
    const { mounts, problems } = findMounts(story, [builtin, manifest("y", [""]), manifest("z", ["./z"])]);
    expect([...mounts.keys()]).toEqual(["z", "good"]);
    expect(problems.map(({ file, pointer }) => `${file} ${pointer}`)).toEqual([
      "story.json /mounts/0/transport/command/0",
      "story.json /mounts/1/transport/command/0",
      "tools/bad/tool.json /name",
      "tools/bad/tool.json /kind",
      "tools/bad/tool.json /transport/command",
      "tools/torn/tool.json ",
    ]);
    expect(problems.every(({ message }) => message.length > 0)).toBe(true);
  });

  test("the first of two with one name is mounted, the second is a problem", () => {
    write("tools/a/tool.json", manifest("twice", ["./a"]));
    const { mounts, problems } = findMounts(story, [manifest("twice", ["./first"])]);
    expect(mounts.get("twice")?.command).toEqual([join(story, "first")]);
    expect(problems).toEqual([
      { file: "tools/a/tool.json", pointer: "/name", message: "another mount is called twice already" },
    ]);
  });

  test("[P1.5] an executable that is a link out of the story is a problem, not a mount", () => {
    mkdirSync(join(story, "tools"));
    symlinkSync("/bin/rm", join(story, "tools/innocent"));
    const { mounts, problems } = findMounts(story, []);
    expect(mounts.size).toBe(0);
    expect(problems).toEqual([{ file: "tools/innocent", pointer: "", message: "it leads out of the story folder" }]);
  });
});

describe("[P1.3] Agent Skills folders", () => {
  const front = "---\nname: maps\ndescription: Draws maps of caves.\n---\n\n# Maps\n";

  test("the name and the description are read, and a single script is the skill's tool", () => {
    write("skills/maps/SKILL.md", front);
    const script = write("skills/maps/scripts/draw.py", "print()", 0o644);
    const { mounts, problems } = findMounts(story, []);
    expect(problems).toEqual([]);
    expect([...mounts.keys()]).toEqual(["maps"]);
    expect(mounts.get("maps")).toMatchObject({
      command: ["python3", script],
      needs: [],
      manifest: { description: "Draws maps of caves.", protocol: "narratoria/0" },
    });
  });

  test("several scripts are called by both names; what is no script is left alone", () => {
    write("skills/maps/SKILL.md", front);
    write("skills/maps/scripts/draw.sh", "#!/bin/sh\n");
    write("skills/maps/scripts/fold.mjs", "", 0o644);
    write("skills/maps/scripts/notes.txt", "", 0o644);
    write("skills/maps/reference/long.md", "", 0o644);
    expect([...findMounts(story, []).mounts.keys()]).toEqual(["maps-draw", "maps-fold"]);
  });

  test.for([
    ["no front matter", "# Maps\n", "front matter"],
    ["no name", "---\ndescription: x\n---\n", "needs a name"],
    ["a blank name", "---\nname: ' '\n---\n", "needs a name"],
    ["broken YAML", "---\nname: [\n---\n", "not valid YAML"],
    ["a list", "---\n- name\n---\n", "no mapping"],
    ["an endless front matter", `---\nname: x\n# ${"x".repeat(64 * 1024)}\n---\n`, "longer than 64 KiB"],
  ] as const)("%s is named with its file, and stops nothing else", ([, text, message]) => {
    write("skills/maps/SKILL.md", text);
    write("skills/maps/scripts/draw.py", "print()");
    write("tools/dice.sh", "#!/bin/sh\n");
    const { mounts, problems } = findMounts(story, []);
    expect(problems).toEqual([
      { file: "skills/maps/SKILL.md", pointer: expect.any(String), message: expect.stringContaining(message) },
    ]);
    expect([...mounts.keys()]).toEqual(["dice"]);
  });
});

describe("[R1.4] a recording in place of a tool", () => {
  const recorded = (...args: string[]) =>
    manifest("lamp", ["builtin:recorded", ...args], { capabilities: ["net.fetch"] });

  test("is a file of the story's; nothing runs, so it needs nothing", () => {
    const file = write("lamp.json", "{}");
    expect(mount(recorded("lamp.json"))).toMatchObject({
      skill: "lamp",
      command: ["builtin:recorded", file],
      needs: [],
      readFolders: [],
      source: "binding",
    });
  });

  test.each([[[]], [["nowhere.json"]], [["."]], [["../outside.json"]]])("%j is refused", (args) => {
    writeFileSync(join(root, "outside.json"), "{}");
    const message = "builtin:recorded takes a recording, a file in the story's folder";
    expect(mountManifest(recorded(...args), story, story)).toEqual({
      kind: "invalid",
      problems: [{ pointer: "/transport/command/1", message }],
    });
  });
});

describe("[Y1.8] a container", () => {
  const boxed = (container: JsonObject) => {
    const transport = { type: "stdio" };
    const value = {
      name: "x",
      kind: "tool",
      protocol: "namel3ss/1",
      entry: "a:b",
      capabilities: [],
      transport,
      container,
    };
    return mountManifest(value, story, story);
  };

  test.each([
    [{ image: "-v" }, "/container/image", "is an option, not an image"],
    [{ image: "x", env: { "A-B": "1" } }, "/container/env", "A-B is no name of a variable"],
    [{ image: "x", env: { "1A": "1" } }, "/container/env", "1A is no name of a variable"],
  ])("that cannot be started is a problem at once: %j", (container, pointer, message) => {
    expect(boxed(container)).toEqual({ kind: "invalid", problems: [{ pointer, message }] });
  });

  test("needs docker or podman; its image is asked about", () => {
    const path = process.env["PATH"];
    try {
      process.env["PATH"] = join(root, "bin");
      const message = "needs docker or podman, and neither is on the PATH";
      const container = { image: "greeter:1", env: { _A1: "1" } };
      expect(boxed(container)).toEqual({ kind: "invalid", problems: [{ pointer: "/container", message }] });
      mkdirSync(join(root, "bin"));
      writeFileSync(join(root, "bin/podman"), "", { mode: 0o755 });
      expect(boxed(container)).toMatchObject({ kind: "tool", tool: { needs: ["exec.spawn:greeter:1"] } });
    } finally {
      process.env["PATH"] = path;
    }
  });
});

describe("[P1.6] what a manifest says of its input", () => {
  const inputs = { type: "object", properties: { target: { type: "string" } } };

  test.each([
    ["narratoria/0", { transport: { type: "stdio", command: ["./x"] } }],
    ["amplifier/1", { transport: { type: "stdio", command: ["./x"] } }],
    ["mcp", { transport: { type: "stdio", command: ["./x"] } }],
    ["namel3ss/1", { transport: { type: "stdio" }, entry: "a:b" }],
  ])("is known to whoever plans, whatever the protocol: %s", (protocol, more) => {
    const tool = mount({ name: "x", kind: "tool", protocol, capabilities: [], inputs, ...more });
    expect(tool.manifest?.inputs).toEqual(inputs);
  });

  test("[Z1.7] a list without end is one problem, not a million", () => {
    const reading = mountManifest(manifest("x", ["./x"], { events: Array(100_000).fill(7) }), story, story);
    expect(reading).toEqual({
      kind: "invalid",
      problems: [{ pointer: "/events", message: "has more than 256 entries" }],
    });
  });
});
