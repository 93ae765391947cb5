import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { createFileDigests, type FileDigests } from "./file-digests.ts";

const folders: string[] = [];
function makeFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "narratoria-digests-"));
  folders.push(folder);
  return folder;
}
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

const restless = (): undefined => undefined;
const inAnHour = (): number => Date.now() + 3_600_000;
const digestOf = (digests: FileDigests, path: string): Promise<string> =>
  digests.digestOf(path, lstatSync(path, { bigint: true }), path);

/** Writes a byte into a file through a mapping that stays, at each line it is sent. */
const MAPPER = `
import mmap, sys
with open(sys.argv[1], "r+b") as file:
    mapping = mmap.mmap(file.fileno(), 0)
    for line in sys.stdin:
        mapping[0:1] = line[0:1].encode()
        print("written", flush=True)
`;

class Mapper implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: Interface;
  constructor(path: string) {
    this.#child = spawn("python3", ["-c", MAPPER, path], { stdio: ["pipe", "pipe", "inherit"] });
    this.#answers = createInterface({ input: this.#child.stdout });
  }
  async write(letter: string): Promise<void> {
    const written = once(this.#answers, "line");
    this.#child.stdin.write(`${letter}\n`);
    await written;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#child, "exit");
    this.#child.stdin.end();
    await gone;
  }
}

describe("[Z1.5] the digest of a file", () => {
  test("is another when its size and its time were put back", async () => {
    const path = join(makeFolder(), "code.py");
    writeFileSync(path, "before");
    const { atime, mtime } = statSync(path);
    const digests = createFileDigests(restless, inAnHour);
    const before = await digestOf(digests, path);
    expect(await digestOf(digests, path)).toBe(before);
    writeFileSync(path, "after!");
    utimesSync(path, atime, mtime);
    expect(await digestOf(digests, path)).not.toBe(before);
  });

  test("is another when it was written through a mapping that shows in no time", async () => {
    const path = join(makeFolder(), "code.py");
    writeFileSync(path, "before");
    await using mapper = new Mapper(path);
    await mapper.write("1");
    const digests = createFileDigests(restless);
    const before = await digestOf(digests, path);
    const { ctimeNs } = lstatSync(path, { bigint: true });
    await mapper.write("2");
    // Else this shows nothing.
    expect(lstatSync(path, { bigint: true }).ctimeNs).toBe(ctimeNs);
    expect(await digestOf(digests, path)).not.toBe(before);
  });

  test("in memory, where no mapping ever shows, is always taken anew", async () => {
    const path = join(makeFolder("/dev/shm"), "code.py");
    writeFileSync(path, "before");
    await using mapper = new Mapper(path);
    const digests = createFileDigests(restless, inAnHour);
    const before = await digestOf(digests, path);
    await mapper.write("2");
    expect(await digestOf(digests, path)).not.toBe(before);
  });

  test("that changes while it is read is none", async () => {
    const path = join(makeFolder(), "code.py");
    writeFileSync(path, Buffer.alloc(4 * 1024 * 1024));
    const digests = createFileDigests(async () => writeFileSync(path, "x", { flag: "a" }));
    await expect(digestOf(digests, path)).rejects.toThrow("changed while it was looked at");
  });

  test("[Z1.7] of a large one is taken in pieces, and others have their turn in between", async () => {
    const path = join(makeFolder(), "large.so");
    writeFileSync(path, Buffer.alloc(8 * 1024 * 1024));
    let rests = 0;
    await digestOf(
      createFileDigests(async () => void rests++),
      path,
    );
    expect(rests).toBeGreaterThanOrEqual(8);
  });
});
