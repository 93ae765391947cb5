/** The standing adversary: every attack in `adversary/`, as who we are and, when that is root, as an ordinary user. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ATTACKS, ROWS_OF_NOTHING, type Account } from "./adversary/attacks.ts";
import type { Aftermath, Ending } from "./adversary/run-attacks.ts";
import { makeReadableCopy, type ReadableCopy } from "./readable-copy.ts";

const isRoot = process.getuid?.() === 0;
const ourselves: Account = isRoot ? "root" : "an ordinary user";
const ACCOUNTS: Account[] = isRoot ? ["root", "an ordinary user"] : [ourselves];
/** An account as far as the kernel knows accounts: a number that is nobody else's. Its home the host makes. */
const ORDINARY = { uid: 47_011, gid: 47_011 };

/** What a host needs to run, where an ordinary user can read it too. */
const PARTS = ["packages/tool", "packages/narratoria/package.json", "packages/narratoria/src"];
const MODULES = ["node_modules/zod", "node_modules/@narratoria/tool"];
const TESTS = ["adversary", "attempt-port.ts", "processes.ts", "run-fixture.ts", "sandbox-of-level.ts"];
let copy: ReadableCopy;
let node: string;
beforeAll(() => {
  copy = makeReadableCopy([...PARTS, ...MODULES, ...TESTS.map((name) => `packages/narratoria/test/${name}`)]);
  node = copy.node();
});
afterAll(() => copy[Symbol.dispose]());

interface Outcome {
  found: Map<string, Aftermath[]>;
  ending: Ending;
}

async function attackAs(who: Account, level: string, ...programs: string[]): Promise<Outcome> {
  const host = join(copy.path, "packages/narratoria/test/adversary/run-attacks.ts");
  const child = spawn(node, [host, level, who, ...programs], {
    ...(who === ourselves ? {} : ORDINARY),
    env: { PATH: process.env["PATH"] ?? "", TMPDIR: "/tmp" },
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
  });
  let lines = "";
  child.stdout.on("data", (chunk: Buffer) => (lines += chunk.toString()));
  await once(child, "close");
  const told = lines.trim().split("\n");
  const ending = JSON.parse(told.pop() || `{"damage":["the host ended early"]}`) as Ending;
  const found = Map.groupBy(
    told.map((line) => JSON.parse(line) as Aftermath),
    ({ program }) => program,
  );
  return { found, ending };
}

test("each program says in its head what it must not do, and each row belongs to one", () => {
  expect(ATTACKS.filter(({ mustNot }) => mustNot === "").map(({ program }) => program)).toEqual([]);
  expect(ROWS_OF_NOTHING).toEqual([]);
  expect(ATTACKS.length).toBeGreaterThan(100);
});

describe.each(ACCOUNTS)("[Z1.3] [T4.3] when the host is %s, a tool must not", (who) => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = await attackAs(who, "full");
  }, 240_000);

  test.each(ATTACKS.filter(({ as }) => as.includes(who)))("$mustNot ($program)", ({ program, ends, atOnce }) => {
    const all = outcome.found.get(program) ?? [];
    expect(all).toHaveLength(atOnce);
    for (const { stderr, ...aftermath } of all)
      expect(aftermath, stderr).toEqual({ program, ended: ends, got: [], crossed: null });
  });

  test("leave anything of the host changed, or anything behind", () => {
    expect(outcome.ending).toEqual({ damage: [], left: [] });
  });
});

test("[Z1.3] its refusals are not its own mistakes: without the sandbox an attack gets what it asks for", async () => {
  const reaching = [
    "read-the-home-folder.py",
    "read-a-file-of-the-host.py",
    "read-another-story.py",
    "read-the-data-folder.py",
    "read-a-hidden-folder.py",
    "read-another-invocations-folder.py",
    "read-the-git-folder.py",
    "connect-to-a-server-of-the-host.py",
    "connect-to-an-abstract-socket.py",
    "connect-to-a-socket-file.py",
    "see-processes-of-the-host.py",
    "signal-the-host.py",
    "write-to-the-home-folder.py",
    "write-to-the-story.py",
    "asset-of-the-host.py",
  ];
  const { found, ending } = await attackAs(ourselves, "none", ...reaching);
  expect(reaching.filter((program) => (found.get(program)?.[0]?.got ?? []).length === 0)).toEqual([]);
  expect(ending.damage.length).toBeGreaterThan(4);
}, 60_000);
