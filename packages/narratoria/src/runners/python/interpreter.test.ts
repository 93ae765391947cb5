import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findInterpreter } from "./interpreter.ts";

let root: string;
beforeEach(() => (root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-venv-")))));
afterEach(() => rmSync(root, { recursive: true }));

/** A story whose `.venv` has its Python from elsewhere. */
function linkTo(prefix: string): string {
  mkdirSync(join(prefix, "bin"), { recursive: true });
  writeFileSync(join(prefix, "bin/python3.11"), "");
  const story = join(root, "story");
  mkdirSync(join(story, ".venv/bin"), { recursive: true });
  symlinkSync(join(prefix, "bin/python3.11"), join(story, ".venv/bin/python"));
  return story;
}

test("[Z1.3] the sandbox shows the installation a .venv has its Python from", () => {
  const prefix = join(root, "python-3.11");
  mkdirSync(join(prefix, "lib/python3.11"), { recursive: true });
  writeFileSync(join(prefix, "lib/python3.11/os.py"), "");
  expect(findInterpreter([linkTo(prefix)], "full")).toMatchObject({
    env: "venv",
    readFolders: [prefix],
    problem: null,
  });
});

test("[Z1.3] a link to something else opens no folder", () => {
  expect(findInterpreter([linkTo(join(root, "private"))], "full").readFolders).toEqual([]);
});
