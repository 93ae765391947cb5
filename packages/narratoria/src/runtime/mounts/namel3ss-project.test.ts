/** A namel3ss project in a story's folder: its tools are mounted as they are, and every mistake is named with its place. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPythonStory } from "../../../test/python-story.ts";
import { findMounts, type Mounts } from "./mounts.ts";

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
    ["python_tools = 3\n", "/python_tools"],
    ["[python_tools\n", ""],
  ])("%j", (toml, pointer) => {
    const { mounts, problems } = read({ ...tools("tools: {a: {entry: 'a:b'}}\n"), "namel3ss.toml": toml });
    expect([...mounts.keys()]).toEqual(["a"]);
    expect(problems).toEqual([{ file: "namel3ss.toml", pointer, message: expect.any(String) }]);
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
function manifest(name: string): object {
  return { name, kind: "tool", protocol: "namel3ss/1", entry: "a:b", transport: { type: "stdio" }, capabilities: [] };
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
