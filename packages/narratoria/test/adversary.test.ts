/** The standing adversary: every attack in `adversary/`, as who we are and, when that is root, as an ordinary user. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ATTACKS } from "./adversary/attacks.ts";
import type { Aftermath } from "./adversary/run-attacks.ts";
import { makeReadableCopy, type ReadableCopy } from "./readable-copy.ts";

const FOLDER = fileURLToPath(new URL("./adversary", import.meta.url));
const isRoot = process.getuid?.() === 0;
/** Nobody's number but the sandbox's own: an account is not needed to run a program. */
const ORDINARY = 47_011;

/** What a host needs to run, where an ordinary user can read it too. */
const PARTS = ["packages/tool", "packages/narratoria/package.json", "packages/narratoria/src"];
const MODULES = ["node_modules/zod", "node_modules/@narratoria/tool"];
const TESTS = ["adversary", "attempt-port.ts", "run-fixture.ts", "sandbox-of-level.ts"];
let copy: ReadableCopy;
let node: string;
beforeAll(() => {
  copy = makeReadableCopy([...PARTS, ...MODULES, ...TESTS.map((name) => `packages/narratoria/test/${name}`)]);
  node = copy.node();
});
afterAll(() => copy[Symbol.dispose]());

test("every program of the folder is in the table, and says in its head what it must not do", () => {
  const programs = readdirSync(FOLDER).filter((name) => name.endsWith(".py") && name !== "attack.py");
  expect(ATTACKS.map(({ program }) => program).toSorted()).toEqual(programs.toSorted());
});

describe.each([
  { who: isRoot ? "root" : "an ordinary user", user: {} },
  ...(isRoot ? [{ who: "an ordinary user", user: { uid: ORDINARY, gid: ORDINARY } }] : []),
])("[Z1.3] when $who is the host", ({ user }) => {
  const found = new Map<string, Aftermath>();
  beforeAll(async () => {
    const env = { ...process.env, HOME: "/nonexistent", TMPDIR: "/tmp" };
    const host = spawn(node, [join(copy.path, "packages/narratoria/test/adversary/run-attacks.ts")], {
      ...user,
      env,
      cwd: "/",
      stdio: ["ignore", "pipe", "inherit"],
    });
    let lines = "";
    host.stdout.on("data", (chunk: Buffer) => (lines += chunk.toString()));
    await once(host, "close");
    for (const line of lines.split("\n").filter((text) => text !== "")) {
      const aftermath = JSON.parse(line) as Aftermath;
      found.set(aftermath.program, aftermath);
    }
  }, 240_000);

  test.each(ATTACKS.map((attack) => ({ ...attack })))("$holds ($program)", ({ program, ends }) => {
    const { stderr, ...aftermath } = found.get(program) ?? { stderr: "it was not run" };
    expect(aftermath, stderr).toEqual({ program, ended: ends, got: null, crossed: null, left: [] });
  });
});
