/** A namel3ss project in a story's folder: its tools are mounted as they are, and every mistake is named with its place. */
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findMounts, type Mounts } from "../src/runtime/mounts/mounts.ts";
import { narratoria } from "./narratoria-command.ts";
import { createPythonStory, type PythonStory } from "./python-story.ts";

const GREETER = 'def greet(payload):\n    return {"message": f"Hello {payload[\'name\']}", "ok": True}\n';
const hostPath = process.env["PATH"];
let bin: string;
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), "narratoria-docker-"));
  writeFileSync(join(bin, "docker"), "#!/bin/sh\n");
  chmodSync(join(bin, "docker"), 0o755);
  process.env["PATH"] = `${bin}:${hostPath}`;
});
afterEach(() => {
  process.env["PATH"] = hostPath;
  rmSync(bin, { recursive: true });
});

function read(files: Record<string, string>): Mounts {
  using story = createPythonStory(files);
  return findMounts(story.path, []);
}

const tools = (yaml: string): Record<string, string> => ({ ".namel3ss/tools.yaml": yaml });

describe("[Y1.7] .namel3ss/tools.yaml", () => {
  test("each tool is a mount, with what its runner needs", () => {
    const { mounts, problems } = read({
      ...tools(PROJECT),
      "namel3ss.toml": '[python_tools]\ntimeout_seconds = 5.5\nservice_url = "http://127.0.0.1:9000/run"\n',
    });
    expect(problems).toEqual([]);
    const summary = [...mounts.values()].map(({ skill, needs, source, env, manifest }) => [
      skill,
      { needs, source, env, entry: manifest?.entry, transport: manifest?.transport, timeoutMs: manifest?.timeoutMs },
    ]);
    const common = { needs: [], source: "binding", env: undefined, entry: "tools.sample_tool:greet" };
    const local = { ...common, transport: { type: "stdio" } };
    const service = { ...common, needs: ["net.fetch"] };
    expect(Object.fromEntries(summary)).toEqual({
      "greet someone": { ...local, timeoutMs: 5_500 },
      quick: { ...local, env: { LANGUAGE: "cy" }, timeoutMs: 250 },
      remote: { ...service, transport: { type: "http", url: "http://127.0.0.1:9000/run" }, timeoutMs: 5_500 },
      elsewhere: { ...service, transport: { type: "http", url: "https://example.org/run" }, timeoutMs: 5_500 },
      boxed: { ...local, needs: ["exec.spawn:greeter:1"], env: { A: "1" }, timeoutMs: 5_500 },
    });
    expect(mounts.get("boxed")?.manifest?.container).toEqual({ image: "greeter:1", command: ["run"], env: { A: "1" } });
  });

  test.each(["", "command: []", "command:"])("a container with %j gets the usual runner", (command) => {
    const { mounts, problems } = read(
      tools(`tools:\n  boxed:\n    entry: a:b\n    runner: container\n    image: greeter:1\n    ${command}\n`),
    );
    expect(problems).toEqual([]);
    expect(mounts.get("boxed")?.manifest?.container?.command).toEqual(["python", "-m", "namel3ss_tools.runner"]);
  });

  test("a field that is empty is as good as absent, and a time limit may be in seconds", () => {
    const { mounts, problems } = read(
      tools("tools:\n  a: {kind: , entry: 'a:b', runner: , env: , purity: , timeout_ms: , timeout_seconds: 1.5}\n"),
    );
    expect(problems).toEqual([]);
    expect(mounts.get("a")?.manifest).toMatchObject({ transport: { type: "stdio" }, timeoutMs: 1_500 });
  });

  test.each([
    ["tools:\n  a: tools.a:run\n", "/tools/a", "must have fields"],
    ["tools:\n  a: {kind: node, entry: 'a:b'}\n", "/tools/a/kind", "python"],
    ["tools:\n  a: {kind: python}\n", "/tools/a/entry", "module:function"],
    ["tools:\n  a: {kind: python, entry: 7}\n", "/tools/a/entry", "module:function"],
    ["tools:\n  a: {kind: python, entry: nocolon}\n", "/tools/a/entry", "module:function"],
    ["tools:\n  a/b: {entry: 'a:b', runner: magic}\n", "/tools/a~1b/runner", "local, service or container"],
    ["tools:\n  a: {entry: 'a:b', runner: service}\n", "/tools/a/url", "http"],
    ["tools:\n  a: {entry: 'a:b', runner: service, url: 'file:///x'}\n", "/tools/a/url", "http"],
    ["tools:\n  a: {entry: 'a:b', runner: service, url: notaurl}\n", "/tools/a/url", "http"],
    ["tools:\n  a: {entry: 'a:b', runner: container}\n", "/tools/a/image", "image"],
    ["tools:\n  a: {entry: 'a:b', runner: container, image: x, command: run}\n", "/tools/a/command", "array"],
    ["tools:\n  a: {entry: 'a:b', env: {A: 1}}\n", "/tools/a/env", "strings"],
    ["tools:\n  a: {entry: 'a:b', timeout_ms: soon}\n", "/tools/a/timeout_ms", "number"],
    ["tools:\n  a: {entry: 'a:b', timeout_seconds: -1}\n", "/tools/a/timeout_seconds", "above 0"],
    ["tools:\n  a: {entry: 'a:b', purity: mostly}\n", "/tools/a/purity", "pure or impure"],
    ["tools: [1]\n", "/tools", "must map names"],
    ["tools: {a: 1, a: 2}\n", "", "unique"],
    ["tools: {a\n", "", "not valid YAML"],
    ["just text\n", "/tools", "must map names"],
  ])("%j", (yaml, pointer, message) => {
    const { mounts, problems } = read(tools(yaml));
    expect([...mounts.keys()]).toEqual([]);
    expect(problems).toEqual([{ file: ".namel3ss/tools.yaml", pointer, message: expect.stringContaining(message) }]);
  });

  test.each(["", "tools:\n", "other: 1\ntools: {}\n"])("%j holds no tool, and no mistake", (yaml) => {
    expect(read(tools(yaml))).toEqual({ mounts: new Map(), problems: [] });
  });

  test("references that multiply are refused, not expanded", () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) => `l${n + 1}: &l${n + 1} [${Array(10).fill(`*l${n}`).join(", ")}]`,
    );
    const { problems } = read(tools(["l0: &l0 [x]", ...levels, "tools: *l12"].join("\n")));
    expect(problems).toEqual([{ file: ".namel3ss/tools.yaml", pointer: "", message: expect.stringContaining("YAML") }]);
  });

  test("one broken tool does not hide the others, nor do those of the story hide it", () => {
    const { mounts, problems } = read({
      ...tools("tools:\n  broken: 1\n  whole: {entry: 'a:b'}\n  taken: {entry: 'a:b'}\n"),
      "tools/taken/tool.json": JSON.stringify(manifest("taken")),
    });
    expect([...mounts.keys()].toSorted()).toEqual(["taken", "whole"]);
    expect(problems.map(({ pointer }) => pointer)).toEqual(["/tools/broken", "/tools/taken/name"]);
  });
});

describe("[Y1.7] namel3ss.toml", () => {
  test.each([
    ["[python_tools]\ntimeout_seconds = 'soon'\n", "/python_tools/timeout_seconds"],
    ["[python_tools]\ntimeout_seconds = 0\n", "/python_tools/timeout_seconds"],
    ["[python_tools]\nservice_url = 'notaurl'\n", "/python_tools/service_url"],
    ["[python]\ntimeout_seconds = 'soon'\n", "/python/timeout_seconds"],
    ["[python]\nservice_url = 7\n", "/python/service_url"],
    ["[tool_packs]\nenabled_packs = 'one'\n", "/tool_packs/enabled_packs"],
    ["[tool_packs]\nenabled_packs = [1]\n", "/tool_packs/enabled_packs"],
    ["[tool_packs]\ndisabled_packs = {a = 1}\n", "/tool_packs/disabled_packs"],
    ["[tool_packs]\npinned_tools = ['a']\n", "/tool_packs/pinned_tools"],
    ["[tool_packs]\npinned_tools = {a = 1}\n", "/tool_packs/pinned_tools/a"],
    ["[packs]\nenabled_packs = ['nowhere']\n", "/packs/enabled_packs/0"],
    ["python_tools = 3\n", "/python_tools"],
    ["[python_tools\n", ""],
  ])("%j", (toml, pointer) => {
    const { mounts, problems } = read({ ...tools("tools: {a: {entry: 'a:b'}}\n"), "namel3ss.toml": toml });
    expect([...mounts.keys()]).toEqual(["a"]);
    expect(problems).toEqual([{ file: "namel3ss.toml", pointer, message: expect.any(String) }]);
  });

  test.each([
    ['[python]\ntimeout_seconds = 3\nservice_url = "http://127.0.0.1:9/run"\n', 3_000],
    [
      '[python_tools]\ntimeout_seconds = 2\n[python]\ntimeout_seconds = 3\nservice_url = "http://127.0.0.1:9/run"\n',
      2_000,
    ],
  ])("the table may be called [python] too: %j", (toml, timeoutMs) => {
    const { mounts, problems } = read({
      ...tools("tools: {a: {entry: 'a:b', runner: service}}\n"),
      "namel3ss.toml": toml,
    });
    expect(problems).toEqual([]);
    expect(mounts.get("a")?.manifest).toMatchObject({ timeoutMs, transport: { url: "http://127.0.0.1:9/run" } });
  });

  test("[T5.11] its time limit is for all Python tools of the story that name none", () => {
    const { mounts } = read({
      "namel3ss.toml": "[python_tools]\ntimeout_seconds = 2\n",
      "tools/plain/tool.json": JSON.stringify(manifest("plain")),
      "tools/own/tool.json": JSON.stringify({ ...manifest("own"), timeoutMs: 7 }),
    });
    expect([...mounts.values()].map(({ skill, manifest: it }) => [skill, it?.timeoutMs])).toEqual([
      ["own", 7],
      ["plain", 2_000],
    ]);
  });
});

const PACK = `id: team.pack
name: "Team Pack"
version: 1.10
description: Tools of the team
author: Team
license: MIT
tools:
  - greet someone
`;
const PACK_BINDINGS = "tools:\n  greet someone: {kind: python, entry: 'tools.sample_tool:greet'}\n";
const pack = (folder: string, files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`.namel3ss/packs/${folder}/${name}`, text]));
const enable = (...ids: string[]): Record<string, string> => ({
  "namel3ss.toml": `[tool_packs]\nenabled_packs = ${JSON.stringify(ids)}\n`,
});

describe("[Y1.7] packs in .namel3ss/packs", () => {
  const whole = pack("team.pack", { "pack.yaml": PACK, "tools.yaml": PACK_BINDINGS });
  const names = ({ mounts }: Mounts): string[] => [...mounts.keys()].toSorted();

  test("an enabled pack's tools are mounted, with whose they are", () => {
    const { mounts, problems } = read({ ...whole, ...enable("team.pack") });
    expect(problems).toEqual([]);
    expect(mounts.get("greet someone")).toMatchObject({
      source: "installed_pack",
      pack: { id: "team.pack", name: "Team Pack", version: "1.10" },
      manifest: { entry: "tools.sample_tool:greet" },
    });
  });

  test.each([
    ["nothing enables it", {}],
    ["another is enabled", { "namel3ss.toml": "[tool_packs]\nenabled_packs = []\n" }],
    ["it is disabled", { "namel3ss.toml": '[packs]\nenabled_packs = ["team.pack"]\ndisabled_packs = ["team.pack"]\n' }],
  ])("%s: it is not there, and broken packs are nobody's problem", (_, settings) => {
    const broken = pack("broken", { "pack.yaml": "id: [\n" });
    expect(read({ ...whole, ...broken, ...settings })).toEqual({ mounts: new Map(), problems: [] });
  });

  test("entry points may stand in pack.yaml, and its defaults hold for tools that say nothing", () => {
    const yaml = `id: team.pack
runners: {default: service}
service_url: http://127.0.0.1:9/run
container: {image: "greeter:1"}
entrypoints:
  remote: {entry: "a:b"}
  boxed: {entry: "a:b", runner: container}
  here: {entry: "a:b", runner: local, timeout_ms: 250}
`;
    const { mounts, problems } = read({ ...pack("x", { "pack.yaml": yaml }), ...enable("team.pack") });
    expect(problems).toEqual([]);
    expect(
      [...mounts].map(([name, { manifest, pack: whose }]) => [name, manifest?.transport.type, whose?.version]),
    ).toEqual([
      ["remote", "http", null],
      ["boxed", "stdio", null],
      ["here", "stdio", null],
    ]);
    expect(mounts.get("boxed")?.needs).toEqual(["exec.spawn:greeter:1"]);
    expect(mounts.get("here")?.manifest?.timeoutMs).toBe(250);
  });

  test("[K1.5] what a pack says it needs has to be granted", () => {
    const capabilities = `capabilities:
  greet someone: {filesystem: write, network: outbound, env: read, subprocess: allow, secrets: ["API_KEY"]}
`;
    const files = { ...whole, ...pack("team.pack", { "capabilities.yaml": capabilities }), ...enable("team.pack") };
    expect(read(files).mounts.get("greet someone")?.needs).toEqual(["net.fetch", "secrets.read:API_KEY"]);
  });

  const twice = {
    ...whole,
    ...pack("other", { "pack.yaml": PACK.replace("team.pack", "other"), "tools.yaml": PACK_BINDINGS }),
  };

  test("of a tool that two packs have, the pinned one counts", () => {
    const settings = (more: string): Record<string, string> => ({
      "namel3ss.toml": `[tool_packs]\nenabled_packs = ["team.pack", "other"]\n${more}`,
    });
    const pinned = read({ ...twice, ...settings('pinned_tools = { "greet someone" = "team.pack" }\n') });
    expect([pinned.problems, pinned.mounts.get("greet someone")?.pack?.id]).toEqual([[], "team.pack"]);
    const { mounts, problems } = read({ ...twice, ...settings("") });
    expect(mounts.get("greet someone")?.pack?.id).toBe("other");
    expect(problems).toEqual([
      expect.objectContaining({
        file: ".namel3ss/packs/team.pack/tools.yaml",
        message: expect.stringContaining("already"),
      }),
    ]);
    const nowhere = read({ ...twice, ...settings('pinned_tools = { "greet someone" = "nobody" }\n') });
    expect([names(nowhere), nowhere.problems.map(({ pointer }) => pointer)]).toEqual([
      [],
      ["/tool_packs/pinned_tools/greet someone"],
    ]);
  });

  test.each([
    [{ "pack.yaml": "id: [\n" }, "pack.yaml", "", "not valid YAML"],
    [{ "tools.yaml": PACK_BINDINGS }, "pack.yaml", "", "needs one"],
    [{ "pack.yaml": PACK }, "pack.yaml", "/entrypoints", "must map names"],
    [{ "pack.yaml": PACK, "tools.yaml": "tools: {a: {entry: 'a:b'}}\n" }, "tools.yaml", "/tools/a", "lists"],
    [
      { "pack.yaml": PACK.replace("  - greet", "  greet: "), "tools.yaml": PACK_BINDINGS },
      "pack.yaml",
      "/tools",
      "list",
    ],
    [
      { "pack.yaml": PACK, "tools.yaml": "tools: {greet someone: {entry: nocolon}}\n" },
      "tools.yaml",
      "/tools/greet someone/entry",
      "module:function",
    ],
    [
      { "pack.yaml": PACK, "tools.yaml": PACK_BINDINGS, "capabilities.yaml": "capabilities: 3\n" },
      "capabilities.yaml",
      "/capabilities",
      "must map",
    ],
  ])("%j: %s %s", (files, file, pointer, message) => {
    const { problems } = read({ ...pack("team.pack", files), ...enable("team.pack") });
    const place = { file: `.namel3ss/packs/team.pack/${file}`, pointer, message: expect.stringContaining(message) };
    expect(problems).toContainEqual(place);
  });

  test("a pack that leads out of the story is none", () => {
    using elsewhere = createPythonStory({ "pack.yaml": PACK, "tools.yaml": PACK_BINDINGS });
    using story = createPythonStory({ ...enable("team.pack"), ".namel3ss/packs/readme": "" });
    symlinkSync(elsewhere.path, join(story.path, ".namel3ss/packs/team.pack"));
    const { mounts, problems } = findMounts(story.path, []);
    expect([...mounts.keys()]).toEqual([]);
    expect(problems.map(({ message }) => message)).toContain("it lies outside the story folder");
  });

  test("[Y1.5] its modules are found in its folder, src/ and tools/, the project's besides, and its trace says whose it is", async () => {
    using story = createPythonStory({
      ...enable("team.pack"),
      ...pack("team.pack", {
        "pack.yaml": PACK.replace("  - greet someone\n", "  - one\n  - two\n  - three\n  - four\n"),
        "tools.yaml":
          "tools:\n  one: {entry: 'tools.sample_tool:greet'}\n  two: {entry: 'sample_tool:greet'}\n" +
          "  three: {entry: 'library.inner:greet'}\n  four: {entry: 'app_module:greet'}\n",
        "tools/sample_tool.py": GREETER,
        "src/library/inner.py": GREETER,
      }),
      "app_module.py": GREETER,
    });
    const ids = ["one", "two", "three", "four"];
    const result = await runPlan(
      story,
      ids.map((id) => ({ toolId: id, toolPath: id, input: { name: "Ada" } })),
    );
    const trace = {
      resolved_source: "installed_pack",
      pack_id: "team.pack",
      pack_name: "Team Pack",
      pack_version: "1.10",
      runner: "local",
      python_env: "system",
    };
    expect(result).toMatchObject({
      toolResults: ids.map((toolId) => ({ toolId, output: { message: "Hello Ada" }, attempts: [{ trace }] })),
    });
  });
});

test("[Y1.7] `run` says what is not mounted", async () => {
  using story = createPythonStory({
    ...tools("tools:\n  broken: {entry: nocolon}\n  whole: {entry: 'sample:greet'}\n"),
    "sample.py": GREETER,
    "story.json": '{"title": 7}',
  });
  const plan = story.write(
    "plan.json",
    JSON.stringify({
      requestId: "p",
      narrative: "",
      tools: [{ toolId: "a", toolPath: "whole", input: { name: "Ada" } }],
    }),
  );
  const { exitCode, stderr } = await narratoria(["run", plan]);
  expect([exitCode, stderr.trim().split("\n")]).toEqual([
    0,
    [
      expect.stringMatching(/^narratoria: story.json \/title: /),
      'narratoria: not mounted: .namel3ss/tools.yaml /tools/broken/entry: must be "module:function"',
    ],
  ]);
});

test("[Y1.5] a service is told the story's folder and its title as the project and the flow", async () => {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push((JSON.parse(body) as { project: unknown }).project);
      response.end('{"ok": true}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  using story = createPythonStory({
    ...tools(`tools: {far: {entry: 'a:b', runner: service, url: 'http://127.0.0.1:${port}/'}}\n`),
    "story.json": '{"title": "The Lighthouse"}',
    "policy.json": '{"grants": {"far": ["net.fetch"]}}',
  });
  const call = [{ toolId: "a", toolPath: "far", input: {} }];
  await runPlan(story, call, ["--policy", join(story.path, "policy.json")]);
  server.close();
  expect(asked).toEqual([{ app_root: story.path, flow: "The Lighthouse" }]);
});

test("[Y1.7] an existing project runs unchanged, and its trace says binding", async () => {
  using story = createPythonStory({
    ...tools('tools:\n  "greet someone":\n    kind: "python"\n    entry: "tools.sample_tool:greet"\n'),
    "tools/sample_tool.py": GREETER,
  });
  const result = await runPlan(story, [{ toolId: "greet", toolPath: "greet someone", input: { name: "Ada" } }]);
  expect(result).toMatchObject({
    success: true,
    toolResults: [
      {
        output: { message: "Hello Ada", ok: true },
        attempts: [{ trace: { runner: "local", resolved_source: "binding", timeout_ms: 10_000 } }],
      },
    ],
  });
});

test("[R1.3] into puts the result into the state, $from hands it on, and writes holds it back", async () => {
  using story = createPythonStory({ "tools/sample_tool.py": GREETER });
  const entry = "tools.sample_tool:greet";
  story.write(
    "story.json",
    JSON.stringify({
      mounts: [
        { ...manifest("greeter"), entry, into: "/greeting", writes: ["/greeting"] },
        { ...manifest("trespasser"), entry, into: "/greeting", writes: ["/elsewhere"] },
      ],
    }),
  );
  const result = await runPlan(story, [
    { toolId: "one", toolPath: "greeter", input: { name: "Ada" } },
    { toolId: "two", toolPath: "greeter", dependencies: ["one"], input: { name: { $from: "one", path: "/message" } } },
    { toolId: "three", toolPath: "trespasser", required: false, input: { name: "Eve" } },
  ]);
  expect(result).toMatchObject({
    aggregatedState: { greeting: { message: "Hello Hello Ada", ok: true } },
    toolResults: [
      { output: { message: "Hello Ada" } },
      { output: { message: "Hello Hello Ada" } },
      { ok: false, output: null, errorDetail: { category: "forbidden", code: "FORBIDDEN_WRITE" }, retryCount: 0 },
    ],
  });
});

test("[R1.3] a result that does not fit `into` fails the tool, and says so", async () => {
  using story = createPythonStory({
    "make.py": `def number(payload): return 7
def names(payload): return ["Ada"]
def nothing(payload): return None
def large(payload): return {"text": "x" * 1100000}
`,
  });
  const into = (name: string, place: string): object => ({ ...manifest(name), entry: `make:${name}`, into: place });
  story.write(
    "story.json",
    JSON.stringify({
      mounts: [
        into("number", ""),
        into("names", ""),
        into("nothing", ""),
        into("large", "/deep/down"),
        { ...into("number", "/list/0"), name: "in-list" },
        { ...into("names", "/list"), name: "list" },
      ],
    }),
  );
  const calls = ["number", "names", "nothing", "large", "in-list", "list"];
  const state = story.write("state.json", '{"list": [1, 2]}');
  const result = await runPlan(
    story,
    calls.map((toolPath) => ({ toolId: toolPath, toolPath, required: false })),
    ["--state", state],
  );
  const refused = (code: string, message: string): object => ({
    ok: false,
    output: null,
    retryCount: 0,
    errorDetail: { category: "forbidden", code, message: expect.stringContaining(message) },
  });
  expect(result).toMatchObject({
    aggregatedState: { list: ["Ada"] },
    toolResults: [
      refused(
        "RESULT_DOES_NOT_FIT",
        "its result does not fit into the state: the state is an object, and it returned a number",
      ),
      refused("RESULT_DOES_NOT_FIT", "and it returned a list"),
      { ok: true },
      refused(
        "PATCH_TOO_LARGE",
        "its result does not fit into /deep/down: a state patch may have 1048576 bytes at most",
      ),
      refused("RESULT_DOES_NOT_FIT", "does not fit into /list/0: the state has a list at /list"),
      { ok: true },
    ],
  });
});

test("[Y1.5] a tool from an allowed folder is an installed pack, and says whose", async () => {
  using story = createPythonStory({});
  using elsewhere = createPythonStory({ "tools/sample_tool.py": GREETER });
  elsewhere.write(
    "tool.json",
    JSON.stringify({ ...manifest("packed"), version: "2.1.0", entry: "tools.sample_tool:greet" }),
  );
  const plan = [{ toolId: "greet", toolPath: elsewhere.path, input: { name: "Ada" } }];
  expect(await runPlan(story, plan, ["--allow-tools", elsewhere.path])).toMatchObject({
    toolResults: [
      {
        ok: true,
        attempts: [
          {
            trace: {
              resolved_source: "installed_pack",
              pack_id: "packed",
              pack_name: "packed",
              pack_version: "2.1.0",
            },
          },
        ],
      },
    ],
  });
});

function manifest(name: string): object {
  return { name, kind: "tool", protocol: "namel3ss/1", entry: "a:b", transport: { type: "stdio" }, capabilities: [] };
}

async function runPlan(story: PythonStory, planTools: object[], more: string[] = []): Promise<unknown> {
  const plan = story.write("plan.json", JSON.stringify({ requestId: "p", narrative: "", tools: planTools }));
  const { stdout, stderr } = await narratoria(["run", plan, ...more]);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as unknown;
}

const PROJECT = `tools:
  "greet someone":
    kind: "python"
    entry: "tools.sample_tool:greet"
    purity: "pure"
  quick:
    kind: python
    entry: tools.sample_tool:greet
    timeout_ms: 250
    env: {LANGUAGE: cy}
  remote:
    kind: python
    entry: tools.sample_tool:greet
    runner: service
  elsewhere:
    kind: python
    entry: tools.sample_tool:greet
    runner: service
    url: https://example.org/run
  boxed:
    kind: python
    entry: tools.sample_tool:greet
    runner: container
    image: greeter:1
    command: [run]
    env: {A: "1"}
`;
