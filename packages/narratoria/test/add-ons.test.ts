/** Optional parts: added from a package on this disk by the real npm, opened, damaged, mended, removed; without a network. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ADD_ONS, type AddOn } from "../src/stores/add-on-list.ts";
import { openAddOn, removeAddOn, stateOfAddOn } from "../src/stores/add-ons.ts";
import { installAddOn } from "../src/stores/install-add-on.ts";
import { narratoria } from "./narratoria-command.ts";

let folder: string;
let data: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-add-ons-"));
  data = join(folder, "data");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function packed(answer = "hello"): AddOn {
  const source = join(folder, "source");
  mkdirSync(source, { recursive: true });
  const scripts = { postinstall: `node -e "require('fs').writeFileSync('${folder}/ran', '')"` };
  const manifest = {
    name: "@test/greeting",
    version: "1.0.0",
    type: "module",
    exports: { import: "./it.js" },
    scripts,
  };
  writeFileSync(join(source, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(source, "it.js"), `export const greet = () => ${JSON.stringify(answer)};\n`);
  const pack = spawnSync("npm", ["pack", "--pack-destination", folder], { cwd: source, encoding: "utf8" });
  const tarball = join(folder, "test-greeting-1.0.0.tgz");
  if (!existsSync(tarball)) throw new Error(pack.stderr);
  const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  const packages = [{ name: "@test/greeting", version: `file:${tarball}`, licence: "MIT", integrity }];
  return { name: "greeting", what: "a greeting", packages, megabytes: 1 };
}

async function greeting(addOn: AddOn): Promise<string> {
  const opened = await openAddOn(addOn.name, data, addOn);
  if (opened.kind === "unavailable") return opened.why;
  return ((await opened.load("@test/greeting")) as { greet(): string }).greet();
}

describe("an add-on", () => {
  test("is installed into a folder of its own, and nothing that it brings is run", async () => {
    const addOn = packed();
    expect(await greeting(addOn)).toBe("greeting is not there: narratoria add greeting");
    expect(await installAddOn(addOn, data)).toEqual({ kind: "installed" });
    expect(stateOfAddOn(addOn, data)).toMatchObject({ kind: "ready" });
    expect(await greeting(addOn)).toBe("hello");
    expect([readdirSync(data), existsSync(join(folder, "ran"))]).toEqual([["add-ons"], false]);
    expect(removeAddOn("greeting", data)).toBe(true);
    expect([stateOfAddOn(addOn, data), removeAddOn("greeting", data)]).toEqual([{ kind: "absent" }, false]);
  });

  test("that is damaged, or was never finished, is noticed, and adding it again mends it", async () => {
    const addOn = packed();
    await installAddOn(addOn, data);
    truncateSync(join(data, "add-ons/greeting/node_modules/@test/greeting/it.js"), 3);
    expect(await greeting(addOn)).toMatch(/^greeting is damaged: .*it\.js is not as it was installed: .* mends it$/);
    expect(await installAddOn(addOn, data)).toEqual({ kind: "installed" });
    expect(stateOfAddOn(addOn, data).kind).toBe("ready");

    rmSync(join(data, "add-ons/greeting"), { recursive: true });
    mkdirSync(join(data, "add-ons/greeting.new/node_modules"), { recursive: true });
    expect(stateOfAddOn(addOn, data)).toEqual({ kind: "broken", why: "was never installed to its end" });
    await installAddOn(addOn, data);
    expect([await greeting(addOn), readdirSync(join(data, "add-ons"))]).toEqual(["hello", ["greeting"]]);
  });

  test("that is broken off leaves nothing of it", async () => {
    expect(await installAddOn(packed(), data, AbortSignal.abort())).toEqual({
      kind: "failed",
      why: "it was broken off",
    });
    expect(existsSync(data)).toBe(false);
  });

  test("that is not byte for byte what was published is not taken, and what was there stays", async () => {
    const addOn = packed();
    await installAddOn(addOn, data);
    const [published] = addOn.packages;
    packed("something else");
    const failure = { kind: "failed", why: expect.stringMatching(/^what came as @test\/greeting .* is not what was/) };
    expect(await installAddOn({ ...addOn, packages: published === undefined ? [] : [published] }, data)).toEqual(
      failure,
    );
    expect([await greeting(addOn), readdirSync(join(data, "add-ons"))]).toEqual(["hello", ["greeting"]]);
  });
});

describe("narratoria add", () => {
  const add = (args: string[], env: NodeJS.ProcessEnv = {}): ReturnType<typeof narratoria> =>
    narratoria(["add", ...args, "--data", data], { env: { npm_config_cache: join(folder, "cache"), ...env } });

  test("lists what there is, with its size and licences", async () => {
    const { exitCode, stdout } = await add(["--list"]);
    expect(exitCode).toBe(0);
    for (const { name, megabytes, packages } of ADD_ONS) {
      expect(stdout).toContain(`${name}: `);
      expect(stdout).toContain(`${megabytes} MB from npm`);
      for (const each of packages) expect(stdout).toContain(`${each.name} ${each.version} (licence ${each.licence})`);
    }
    expect(stdout).toContain("not added");
    expect(JSON.parse((await add(["--list", "--json"])).stdout)).toMatchObject([{ state: { kind: "absent" } }]);
  });

  test("asks first, and without anybody to ask adds nothing", async () => {
    const { exitCode, stderr } = await add(["embeddings"]);
    expect([exitCode, existsSync(data)]).toEqual([2, false]);
    expect(stderr).toMatch(/50 MB from npm: .*licence Apache-2\.0[\s\S]*nobody is here to be asked: --yes adds it/);
    expect(await add(["nothing"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("no add-on named nothing"),
    });
  });

  test.each([
    ["without a network", { npm_config_registry: "http://127.0.0.1:9/" }, /npm's registry cannot be reached from here/],
    ["without npm", { PATH: "/nowhere" }, /there is no npm on the PATH/],
  ])("%s it says so in a sentence and leaves nothing", async (_, env, words) => {
    const { exitCode, stdout, stderr } = await add(["embeddings", "--yes"], env);
    expect([exitCode, stdout, existsSync(data)]).toEqual([1, "", false]);
    expect(stderr.trim().split("\n").at(-1)).toMatch(/^narratoria: nothing was added: [^:]+(?:: [^:]+)?$/);
    expect(stderr).toMatch(words);
  });

  test("what is broken is named by the doctor, and remove takes it away", async () => {
    mkdirSync(join(data, "add-ons/embeddings.new"), { recursive: true, mode: 0o700 });
    const doctor = await narratoria(["doctor", "--data", data]);
    expect(doctor.stdout).toMatch(/^Add-on +embeddings: was never installed to its end; narratoria add embeddings/m);
    const remove = (): ReturnType<typeof narratoria> => narratoria(["remove", "embeddings", "--data", data]);
    expect([(await remove()).stdout, (await remove()).stdout]).toEqual([
      "embeddings is gone.\n",
      "embeddings was not there.\n",
    ]);
  });
});
