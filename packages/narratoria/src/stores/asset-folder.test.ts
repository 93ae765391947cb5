import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DataGone } from "../runtime/seams/disk-trouble.ts";
import { assetPath, createAssetFolder } from "./asset-folder.ts";
import { fileSource } from "../sandbox/open-asset.ts";

let root: string;
let tools: string;
let storage: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "narratoria-assets-test-"));
  chmodSync(root, 0o755);
  tools = join(root, "made by tools");
  storage = join(root, "storage");
  mkdirSync(tools);
  mkdirSync(join(root, "private"));
  writeFileSync(join(root, "private", "key"), "secret");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("[T4.3] a plain file is copied under the hash of its bytes", () => {
  test.each([
    ["empty", Buffer.alloc(0)],
    ["small", Buffer.from("a map of the cellar")],
    ["larger than one read, and not a multiple of it", randomBytes(700_001)],
  ])("%s", async (_, content) => {
    writeFileSync(join(tools, "asset"), content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    expect(await take("asset")).toEqual({ kind: "stored", sha256, bytes: content.length });
    expect(readFileSync(assetPath(storage, sha256)).equals(content)).toBe(true);
    expectNothingIncoming();
  });

  test("the same bytes twice are kept once", async () => {
    writeFileSync(join(tools, "one"), "same");
    writeFileSync(join(tools, "two"), "same");
    const both = await Promise.all([take("one"), take("two")]);
    expect(both[0]).toEqual(both[1]);
    expect(storedFiles()).toHaveLength(1);
    expectNothingIncoming();
  });

  test("what is stored does not change with the tool's file", async () => {
    writeFileSync(join(tools, "asset"), "before");
    const taken = await take("asset");
    writeFileSync(join(tools, "asset"), "after!");
    if (taken.kind !== "stored") throw new Error("refused");
    expect(readFileSync(assetPath(storage, taken.sha256), "utf8")).toBe("before");
  });

  test("a tool that is not confined may name a file anywhere", async () => {
    const taken = await createAssetFolder(storage).take(
      fileSource({ path: join(root, "private", "key"), within: null, hidden: [] }, null),
    );
    expect(taken.kind).toBe("stored");
  });

  test("with the size of a picture", async () => {
    writeFileSync(join(tools, "asset"), Buffer.from("GIF89a\x40\x01\xf0\0", "latin1"));
    const taken = await createAssetFolder(storage).take(fileSource(inTools("asset"), "image/gif"));
    expect(taken).toMatchObject({ kind: "stored", bytes: 10, width: 320, height: 240 });
  });

  test("exactly as large as it may be", async () => {
    writeFileSync(join(tools, "asset"), "12345678");
    expect((await createAssetFolder(storage, 8).take(fileSource(inTools("asset"), null))).kind).toBe("stored");
  });
});

describe("[T4.3] anything else is refused with the reason, and nothing is kept", () => {
  test.each<[name: string, make: () => string, reason: string]>([
    ["missing", () => "nothing-here", "there is no such file"],
    [
      "a file where a folder should be",
      () => (writeFileSync(join(tools, "f"), ""), "f/asset"),
      "there is no such file",
    ],
    ["a folder", () => (mkdirSync(join(tools, "folder")), "folder"), "it is not a regular file"],
    ["../ out of the folders", () => "../private/key", "it lies outside the folders the tool may use"],
    ["an absolute path", () => "/etc/hostname", "it lies outside the folders the tool may use"],
    ["a symbolic link", () => link("../private/key", "link"), "it is a symbolic link"],
    [
      "a symbolic link to a file beside it",
      () => (writeFileSync(join(tools, "f"), ""), link("f", "link")),
      "it is a symbolic link",
    ],
    [
      "a linked parent folder",
      () => `${link("../private", "door")}/key`,
      "it lies outside the folders the tool may use",
    ],
    ["a hard link", () => hardLink(), "it is a hard link to another file"],
    ["a FIFO without a writer", () => fifo(), "it is not a regular file"],
    ["a device", () => "/dev/zero", "it is not a regular file"],
    ["a file of /proc", () => "/proc/self/environ", "it lies outside the folders the tool may use"],
    ["larger than 64 MiB", () => hugeFile(), "it is larger than 67108864 bytes"],
    ["a zero byte in its name", () => "a\0b", "it cannot be opened (ERR_INVALID_ARG_VALUE)"],
  ])("%s", async (_, make, reason) => {
    expect(await take(make())).toEqual({ kind: "refused", reason });
    expect(storedFiles()).toEqual([]);
    expectNothingIncoming();
  });

  test("without permission to read", async () => {
    const path = join(tools, "asset");
    writeFileSync(path, "locked", { mode: 0o000 });
    const opened = await asOrdinaryUser(() => fileSource({ path, within: [tools], hidden: [] }, null).open());
    expect(opened).toEqual({ kind: "refused", reason: "it cannot be read" });
  });

  test("a file that holds more than its size said, as one that grows meanwhile does", async () => {
    // The kernel says that this file has no bytes.
    const taken = await createAssetFolder(storage, 100).take(
      fileSource({ path: "/proc/self/maps", within: null, hidden: [] }, null),
    );
    expect(taken).toEqual({ kind: "refused", reason: "it is larger than 100 bytes" });
    expect(storedFiles()).toEqual([]);
    expectNothingIncoming();
  });

  test("bytes that are not what their media type says", async () => {
    writeFileSync(join(tools, "asset.png"), "no picture");
    const taken = await createAssetFolder(storage).take(fileSource(inTools("asset.png"), "image/png"));
    expect(taken).toEqual({ kind: "refused", reason: "it says image/png but its bytes are not" });
    expect(storedFiles()).toEqual([]);
    expectNothingIncoming();
  });

  test("no folder at all is allowed", async () => {
    writeFileSync(join(tools, "asset"), "");
    const taken = await createAssetFolder(storage).take(
      fileSource({ path: join(tools, "asset"), within: [], hidden: [] }, null),
    );
    expect(taken).toEqual({ kind: "refused", reason: "it lies outside the folders the tool may use" });
  });
});

function inTools(name: string): { path: string; within: string[]; hidden: string[] } {
  return {
    path: name.startsWith("/") ? name : `${tools}/${name}`,
    within: [tools, join(root, "not there")],
    hidden: [],
  };
}

function take(name: string): ReturnType<ReturnType<typeof createAssetFolder>["take"]> {
  return createAssetFolder(storage).take(fileSource(inTools(name), null));
}

function link(target: string, name: string): string {
  symlinkSync(target, join(tools, name));
  return name;
}

function hardLink(): string {
  linkSync(join(root, "private", "key"), join(tools, "hard"));
  return "hard";
}

function fifo(): string {
  execFileSync("mkfifo", [join(tools, "fifo")]);
  return "fifo";
}

/** Sparse: it takes no room on the disk. */
function hugeFile(): string {
  writeFileSync(join(tools, "huge"), "");
  truncateSync(join(tools, "huge"), 64 * 1024 * 1024 + 1);
  return "huge";
}

/** Root may read everything: for this one question it is somebody else. */
async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

function storedFiles(): string[] {
  if (!existsSync(storage)) return [];
  const entries = readdirSync(storage, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

function expectNothingIncoming(): void {
  const incoming = join(storage, "incoming");
  expect(existsSync(incoming) ? readdirSync(incoming) : []).toEqual([]);
}

test("[Z1.4] where all that is kept was deleted, nothing of it is made again", async () => {
  writeFileSync(join(tools, "asset"), "a map");
  const assets = createAssetFolder(join(root, "data", "assets"));
  await expect(assets.take(fileSource(inTools("asset"), null))).rejects.toThrow(DataGone);
  expect(existsSync(join(root, "data"))).toBe(false);
});
