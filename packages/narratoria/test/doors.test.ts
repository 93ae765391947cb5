/** The standing adversary before a running host: every attack of `adversary/doors/`, as root and as an ordinary user. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attacked, type AttackedHost, type Door } from "./adversary/door.ts";
import { narratoria } from "./narratoria-command.ts";
import { makeReadableCopy, type ReadableCopy } from "./readable-copy.ts";
import { createPlayground, serve, type Playground } from "./serve-process.ts";

const FOLDER = join(import.meta.dirname, "adversary/doors");
const DOORS = await Promise.all(
  readdirSync(FOLDER).map(async (file) => {
    const { default: door } = (await import(join(FOLDER, file))) as { default: Door };
    return { file, ...door };
  }),
);
const isRoot = process.getuid?.() === 0;
const ACCOUNTS = isRoot ? ["root", "an ordinary user"] : ["an ordinary user"];
/** An account as far as the kernel knows accounts: a number that is nobody else's. */
const ORDINARY = { uid: 47_012, gid: 47_012 };

const PARTS = [
  "packages/tool",
  "packages/narratoria/package.json",
  "packages/narratoria/bin",
  "packages/narratoria/src",
];
const LIBRARIES = ["@narratoria/tool", "zod", "hono", "@hono/node-server", "commander", "picocolors", "inkjs", "yaml"];
const SMALL_ONES = ["smol-toml", "fastest-levenshtein", "ajv", "fast-deep-equal", "fast-uri", "json-schema-traverse"];

test("each says what it must not do", () => {
  expect(DOORS.filter(({ mustNot }) => mustNot.length < 20)).toEqual([]);
  expect(DOORS.length).toBeGreaterThan(40);
});

describe.each(ACCOUNTS)("[Z1.3] [Z1.7] when the host is %s, nobody must", (who) => {
  let copy: ReadableCopy;
  let playground: Playground;
  let folder: string;
  let host: AttackedHost;
  beforeAll(async () => {
    copy = makeReadableCopy([
      ...PARTS,
      "tools",
      ...[...LIBRARIES, ...SMALL_ONES].map((name) => `node_modules/${name}`),
    ]);
    playground = createPlayground();
    folder = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-doors-")));
    chmodSync(folder, 0o755);
    const [data, home] = [join(folder, "data"), join(folder, "home")];
    const isOther = isRoot && who !== "root";
    for (const own of [data, home]) {
      mkdirSync(own, { mode: 0o700 });
      if (isOther) chownSync(own, ORDINARY.uid, ORDINARY.gid);
    }
    const account = isOther ? ORDINARY : {};
    const started = { node: copy.node(), command: join(copy.path, "packages/narratoria/bin/narratoria.js"), account };
    const env = { HOME: home, XDG_CACHE_HOME: "", DOOR_SECRET: "swordfish-4711" };
    host = attacked(
      await serve(["--port", "0", "--story", playground.story, "--data", data], env, started.node, started),
      folder,
      (args, more) => narratoria(args, { ...started, env: { ...env, ...more } }),
    );
  }, 60_000);
  afterAll(async () => {
    await host?.end("SIGKILL");
    for (const made of [copy, playground]) made?.[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(DOORS.filter(({ once }) => once !== true || who === ACCOUNTS[0]))(
    "$mustNot ($file)",
    { timeout: 120_000 },
    async ({ attack }) => {
      // Meanwhile somebody else begins, and afterwards plays on.
      const others = host.begin();
      expect(await attack(host)).toBeNull();
      const view = await host.say((await others) ?? "", "light");
      expect(view.state).toEqual({ lamp: { lit: true } });
      expect(host.stderr()).not.toMatch(/\n\s+at |Error:/);
    },
  );
});
