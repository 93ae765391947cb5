import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findContainerRuntimes } from "./container-runtime.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "narratoria-runtimes-"));
  for (const folder of ["one", "two"]) mkdirSync(join(root, folder));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function program(name: string, mode = 0o755): string {
  const file = join(root, name);
  writeFileSync(file, "");
  chmodSync(file, mode);
  return file;
}

test("[Y1.8] docker comes before podman, each from the first folder of the PATH that has it", () => {
  const podman = program("one/podman");
  const docker = program("two/docker");
  program("two/podman");
  const path = `${root}/one:${root}/nowhere:${root}/two`;
  expect(findContainerRuntimes(path)).toEqual([
    { name: "docker", file: docker },
    { name: "podman", file: podman },
  ]);
});

test("[Y1.8] a folder of that name, a file that cannot be run and an empty PATH are none", () => {
  mkdirSync(join(root, "one/docker"));
  program("two/podman", 0o644);
  expect(findContainerRuntimes(`${root}/one::${root}/two`)).toEqual([]);
  expect(findContainerRuntimes("")).toEqual([]);
});
