import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { DEFAULT_LIMITS } from "../seams/sandbox.ts";
import { bareTool, resolveTool, type ToolResolution } from "./resolve-tool.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-resolve-")));
  write("story/tools/lamp", "#!/bin/sh\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, content: string | object): string {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o700 });
  return file;
}

function manifest(more: object = {}): object {
  const transport = { type: "stdio", command: ["./run.sh"] };
  return { name: "gong", kind: "tool", protocol: "narratoria/0", transport, capabilities: [], ...more };
}

interface Given {
  allowed?: string[];
  mounts?: Record<string, ResolvedTool>;
}

function resolve(toolPath: string, { allowed = [], mounts = {} }: Given = {}): ToolResolution {
  const folders = allowed.map((name) => join(root, name));
  const sources = { storyDir: join(root, "story"), allowed: folders, mounts: new Map(Object.entries(mounts)) };
  return resolveTool(toolPath, sources);
}

function tool(toolPath: string, given: Given = {}): ResolvedTool {
  const resolution = resolve(toolPath, given);
  if (resolution.kind !== "tool") throw new Error(resolution.message);
  return resolution.tool;
}

describe("[P1.6] a plan's tool is", () => {
  test("a mount by its name, before any file", () => {
    const lamp = bareTool("/elsewhere/lamp", "lamp");
    expect(resolve("lamp", { mounts: { lamp } })).toEqual({ kind: "tool", tool: lamp });
    expect(tool("./tools/lamp", { mounts: { lamp } }).command).toEqual([join(root, "story/tools/lamp")]);
  });

  test("an executable in the story: it needs nothing, and may read the story", () => {
    expect(tool("tools/lamp")).toEqual({
      skill: "lamp",
      command: [join(root, "story/tools/lamp")],
      dir: join(root, "story/tools"),
      readFolders: [join(root, "story")],
      limits: DEFAULT_LIMITS,
      needs: [],
      source: "binding",
      manifest: null,
    });
  });

  test("one in a folder that somebody allowed, whose folder it may read", () => {
    const file = write("tools/bell", "");
    expect(tool(file, { allowed: ["other", "tools"] })).toMatchObject({
      command: [file],
      readFolders: [join(root, "tools")],
    });
  });

  test("a folder with a manifest, called as the plan calls it; from outside the story it is installed", () => {
    for (const at of ["story/tools/gong", "tools/gong"]) {
      write(`${at}/tool.json`, manifest());
      write(`${at}/run.sh`, "");
    }
    expect(tool("tools/gong")).toMatchObject({ skill: "gong", source: "binding", dir: join(root, "story/tools/gong") });
    const allowed = { allowed: ["tools"] };
    expect(tool(join(root, "tools/gong"), allowed)).toMatchObject({ skill: "gong", source: "installed_pack" });
  });

  test("also one that is not there yet: whoever starts it will find out", () => {
    expect(tool("tools/nothing").command).toEqual([join(root, "story/tools/nothing")]);
  });
});

describe("[P1.6] forbidden is", () => {
  const forbidden = (message: string): object => ({ kind: "path_forbidden", message });

  test("whatever lies outside, however it is named", () => {
    write("outside", "");
    symlinkSync(join(root, "outside"), join(root, "story/inside"));
    for (const path of ["../outside", join(root, "outside"), "inside", "tools/../../outside"])
      expect(resolve(path)).toEqual(
        forbidden(`${path} lies outside the story folder; allow its folder with --allow-tools`),
      );
  });

  test("a zero byte, and what is no file", () => {
    expect(resolve("tools/la\0mp")).toEqual(forbidden("the path holds a zero byte"));
    execFileSync("mkfifo", [join(root, "story/pipe")]);
    expect(resolve("pipe")).toEqual(forbidden("pipe is a named pipe, not a file"));
  });

  test("what needs something and has the name of a mount that lies elsewhere: grants go by name", () => {
    write("story/tools/gong/tool.json", manifest({ capabilities: ["net.fetch"] }));
    write("story/tools/gong/run.sh", "");
    const elsewhere = { ...bareTool("/mounted/gong", "gong") };
    const path = "./tools/gong";
    expect(resolve(path, { mounts: { gong: elsewhere } })).toEqual(forbidden(`${path} is not the mount named gong`));
    expect(resolve(path, { mounts: { gong: { ...elsewhere, dir: join(root, "story/tools/gong") } } }).kind).toBe(
      "tool",
    );
    expect(resolve(path).kind).toBe("tool");
    write("story/tools/gong/tool.json", manifest());
    expect(resolve(path, { mounts: { gong: elsewhere } }).kind).toBe("tool");
  });
});

test("[P1.6] a manifest that is none is told, each problem with its place", () => {
  const file = write("story/tools/gong/tool.json", manifest({ kind: "noise" }));
  const { kind, message } = resolve("tools/gong") as { kind: string; message: string };
  expect(kind).toBe("bad_manifest");
  expect(message).toMatch(new RegExp(`^${file}: /kind: .+$`));
  write("story/tools/gong/tool.json", "[]");
  expect((resolve("tools/gong") as { message: string }).message).toMatch(new RegExp(`^${file}: /: .+$`));
});
