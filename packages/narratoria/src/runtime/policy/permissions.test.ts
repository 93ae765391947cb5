import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testPermissions } from "../../../test/test-permissions.ts";
import { createGrantFile } from "../../stores/grant-file.ts";
import { findMounts } from "../mounts/mounts.ts";
import { resolveTool } from "../mounts/resolve-tool.ts";
import { NOBODY, type Player, type Question } from "../seams/player.ts";
import type { GrantKeeper } from "./grant-book.ts";
import type { Permissions } from "./permissions.ts";
import type { Policy } from "./policy.ts";
import { createToolContents } from "./tool-content.ts";

let folder: string;
let keeper: GrantKeeper;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-permissions-")));
  keeper = createGrantFile(join(folder, "grants.json"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A story with a tool called `weather` that asks for this. */
function makeStory(name: string, capabilities: string[] = ["net.fetch:example.org"], program = "exit 0"): string {
  const tool = join(folder, name, "tools/weather");
  mkdirSync(tool, { recursive: true });
  const transport = { type: "stdio", command: ["sh", "weather.sh"] };
  const manifest = { name: "weather", kind: "tool", protocol: "narratoria/0", transport, capabilities };
  writeFileSync(join(tool, "tool.json"), JSON.stringify({ ...manifest, description: "tells the weather" }));
  writeFileSync(join(tool, "weather.sh"), program);
  return join(folder, name);
}

function mountOf(storyDir: string, name = "weather") {
  const tool = findMounts(storyDir, []).mounts.get(name);
  if (tool === undefined) throw new Error(`${storyDir} has no ${name}`);
  return { storyDir, tool, toolId: "w1" };
}

function open(options: Parameters<typeof testPermissions>[1] = {}, policy: Policy["grants"] = {}): Permissions {
  return testPermissions({ sandbox: "any", grants: policy }, { keeper, mayAsk: true, ...options });
}

function answering(answer: string | null): Player & { asked: Question[] } {
  const asked: Question[] = [];
  return { asked, ask: (question) => (asked.push(question), Promise.resolve(answer)) };
}

async function statuses(permissions: Permissions, storyDir: string, player: Player): Promise<string[]> {
  const { decisions } = await permissions.decide(mountOf(storyDir), player);
  return decisions.map(({ status }) => status);
}

describe("[K1.5] [K1.9] asking", () => {
  test.each([
    ["once", "allow", false],
    ["always", "allow", true],
    ["no", "deny", false],
    [null, "deny", false],
    ["nonsense", "deny", false],
  ] as const)("the answer %s means %s; kept: %s", async (answer, status, isKept) => {
    const story = makeStory("inn");
    expect(await statuses(open(), story, answering(answer))).toEqual([status]);
    // As if started anew: only the file remembers.
    const asker = answering("no");
    expect(await statuses(open(), story, asker)).toEqual([isKept ? "allow" : "deny"]);
    expect(asker.asked).toHaveLength(isKept ? 0 : 1);
  });

  test("with nobody to ask the answer is no", async () => {
    const story = makeStory("inn");
    expect(await statuses(open({ mayAsk: false }), story, answering("always"))).toEqual(["deny"]);
    expect(await statuses(open(), story, NOBODY)).toEqual(["deny"]);
  });

  test("[U1.13] several capabilities are one question, and each is a decision", async () => {
    const story = makeStory("inn", ["net.fetch", "fs.temp", "secrets.read:KEY"]);
    const asker = answering("always");
    const permissions = open({}, { weather: ["fs.temp"] });
    const { decisions } = await permissions.decide(mountOf(story), asker);
    expect(decisions.map(({ capability, status }) => `${status} ${capability}`)).toEqual([
      "allow net.fetch",
      "allow fs.temp",
      "allow secrets.read:KEY",
    ]);
    expect(asker.asked).toHaveLength(1);
    expect(plain(asker.asked[0]?.question)).toBe(
      "The tool “weather” asks to\n1. use the network\n2. be told the secret “KEY”",
    );
  });

  test("[P1.6] a program from outside is shown with its whole command line", async () => {
    const asker = answering("no");
    const mount = mountOf(makeStory("inn"));
    const tool = { ...mount.tool, needs: ["exec.spawn"], command: ["npx", "-y", 'some" package'] };
    await open().decide({ ...mount, tool }, asker);
    expect(plain(asker.asked[0]?.question)).toContain("“npx” “-y” “some⟨U+0022⟩ package”");
  });

  test("a mount may be called like something every object has", async () => {
    const mount = mountOf(makeStory("inn"));
    const called = (skill: string) => ({ ...mount, tool: { ...mount.tool, skill } });
    const permissions = open();
    await permissions.grant(called("__proto__"), "net.fetch");
    const status = async (skill: string): Promise<unknown> =>
      (await permissions.judge(called(skill))).decisions[0]?.status;
    expect(await Promise.all(["__proto__", "constructor", "toString"].map(status))).toEqual(["allow", "deny", "deny"]);
  });
});

describe("[Z1.5] a grant belongs to a story, a mount and what it is made of", () => {
  test("another story's tool of the same name is asked about", async () => {
    const [inn, mill] = [makeStory("inn"), makeStory("mill", undefined, "cat ~/.ssh/id_ed25519")];
    await statuses(open(), inn, answering("always"));
    const asker = answering("no");
    expect(await statuses(open(), mill, asker)).toEqual(["deny"]);
    expect(asker.asked).toHaveLength(1);
    expect(await statuses(open(), inn, NOBODY)).toEqual(["allow"]);
  });

  test.each<[what: string, file: string, content: string, named: string]>([
    ["its program", "tools/weather/weather.sh", "cat ~/.ssh/id_ed25519", "“./tools/weather/weather.sh”"],
    ["a new file of its folder", "tools/weather/data.txt", "x", "“./tools/weather/data.txt”"],
    ["code of the story", "lib/shared.py", "import os", "“./lib/shared.py”"],
    ["a module beside the tools", "tools/json.py", "import os", "“./tools/json.py”"],
  ])("when %s changes it is asked again, and what changed is said", async (_, file, content, named) => {
    const story = makeStory("inn");
    mkdirSync(join(story, "lib"));
    await statuses(open(), story, answering("always"));
    writeFileSync(join(story, file), content);
    const asker = answering("always");
    expect(await statuses(open(), story, asker)).toEqual(["allow"]);
    expect(plain(asker.asked[0]?.reason)).toContain(`Its program changed since you allowed it: ${named}.`);
    expect(await statuses(open(), story, NOBODY)).toEqual(["allow"]);
  });

  test("when its manifest changes it is asked again about everything", async () => {
    const story = makeStory("inn");
    await statuses(open(), story, answering("always"));
    makeStory("inn", ["net.fetch:example.org", "fs.temp"]);
    const asker = answering("no");
    expect(await statuses(open(), story, asker)).toEqual(["deny", "deny"]);
    expect(asker.asked[0]?.reason).toContain("its manifest");
  });

  test("ink, art and text of the story are not what runs", async () => {
    const story = makeStory("inn");
    await statuses(open(), story, answering("always"));
    for (const file of ["story.ink", "plans.json", "cover.png", "notes.md"]) writeFileSync(join(story, file), "new");
    expect(await statuses(open(), story, NOBODY)).toEqual(["allow"]);
  });

  test("what changes while somebody thinks about it is asked about again", async () => {
    const story = makeStory("inn");
    const asked: Question[] = [];
    const player: Player = {
      ask: (question) => {
        if (asked.push(question) === 1) writeFileSync(join(story, "tools/weather/weather.sh"), "something else");
        return Promise.resolve("always");
      },
    };
    expect(await statuses(open(), story, player)).toEqual(["allow"]);
    expect(asked).toHaveLength(2);
    expect(await statuses(open(), story, NOBODY)).toEqual(["allow"]);
  });

  const CODE = ["tools/weather/.git/x.py", ".git/x.py", "lib/libweather.so.1", "lib/weather.whl", "lib/weather.awk"];
  test.each([...CODE, ".venv/pyvenv.cfg", "tsconfig.json"])(
    "[Z1.5] %s is code that may be imported: when it changes, the grant is asked for again",
    async (name) => {
      const story = makeStory("inn");
      const file = join(story, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "before");
      expect(await statuses(open(), story, answering("always"))).toEqual(["allow"]);
      expect(await statuses(open(), story, NOBODY)).toEqual(["allow"]);
      writeFileSync(file, "after it");
      expect(await statuses(open(), story, NOBODY)).toEqual(["deny"]);
    },
  );

  test("[Z1.5] for a tool of a folder that somebody allowed, so is the code of that folder", async () => {
    const story = makeStory("inn");
    const tools = makeStory("allowed");
    writeFileSync(join(tools, "shared.py"), "before");
    const sources = { storyDir: story, allowed: [tools], mounts: new Map() };
    const found = resolveTool(join(tools, "tools/weather"), sources);
    if (found.kind !== "tool") throw new Error(found.message);
    const mount = { storyDir: story, tool: found.tool, toolId: "w1" };
    await open().decide(mount, answering("always"));
    expect((await open().decide(mount, NOBODY)).refusal).toBeNull();
    writeFileSync(join(tools, "shared.py"), "after it");
    expect((await open().decide(mount, NOBODY)).refusal).not.toBeNull();
  });

  test("[Z1.5] so are the files that an option of its command names, and where its modules are looked for", async () => {
    const story = makeStory("inn");
    const { tool, ...mount } = mountOf(story);
    const preload = join(story, "preload.txt");
    writeFileSync(preload, "before");
    const preloading = { ...mount, tool: { ...tool, command: [...tool.command, `--require=${preload}`] } };
    await open().decide(preloading, answering("always"));
    expect((await open().decide(preloading, NOBODY)).refusal).toBeNull();
    writeFileSync(preload, "after it");
    expect((await open().decide(preloading, NOBODY)).refusal).not.toBeNull();

    const importing = (folders: string[]) => ({ ...mount, tool: { ...tool, imports: folders } });
    await open().decide(importing([join(story, "one")]), answering("always"));
    expect((await open().decide(importing([join(story, "one")]), NOBODY)).refusal).toBeNull();
    expect((await open().decide(importing([join(story, "two")]), NOBODY)).refusal).not.toBeNull();
  });

  test("[Z1.5] a link to another folder is another program, whatever it is called; so is any file that may be executed", async () => {
    const story = makeStory("inn");
    for (const name of ["first", "second"]) mkdirSync(join(story, name));
    writeFileSync(join(story, "helper.v2"), "before", { mode: 0o755 });
    symlinkSync("first", join(story, "lib.d"));
    symlinkSync("cover.png", join(story, "art.png"));
    expect(await statuses(open(), story, answering("always"))).toEqual(["allow"]);
    rmSync(join(story, "art.png"));
    expect(await statuses(open(), story, NOBODY)).toEqual(["allow"]);
    rmSync(join(story, "lib.d"));
    symlinkSync("second", join(story, "lib.d"));
    expect(await statuses(open(), story, NOBODY)).toEqual(["deny"]);
    expect(await statuses(open(), story, answering("always"))).toEqual(["allow"]);
    writeFileSync(join(story, "helper.v2"), "after it");
    expect(await statuses(open(), story, NOBODY)).toEqual(["deny"]);
  });

  test("[Z1.5] what was allowed is asked about once more before it starts", async () => {
    const story = makeStory("inn");
    const program = join(story, "tools/weather/weather.sh");
    for (const answer of ["once", "always"]) {
      const { refusal, isStillSo } = await open().decide(mountOf(story), answering(answer));
      expect([refusal, await isStillSo()]).toEqual([null, true]);
      writeFileSync(program, `something else, ${answer}`);
      expect(await isStillSo()).toBe(false);
    }
    const { isStillSo } = await open({}, { weather: ["net.fetch"] }).decide(mountOf(makeStory("mill")), NOBODY);
    writeFileSync(join(folder, "mill/tools/weather/weather.sh"), "a policy goes by the name");
    expect(await isStillSo()).toBe(true);
  });

  test("what git keeps for itself may change", async () => {
    const story = makeStory("inn");
    mkdirSync(join(story, ".git"));
    writeFileSync(join(story, ".git", "HEAD"), "main");
    expect(await statuses(open(), story, answering("always"))).toEqual(["allow"]);
    writeFileSync(join(story, ".git", "HEAD"), "other");
    expect(await statuses(open(), story, NOBODY)).toEqual(["allow"]);
  });

  test("what is too large to look at can be allowed once, not for good", async () => {
    const story = makeStory("inn");
    const contents = createToolContents({ limits: { files: 1, bytes: 1e6, entries: 100, deep: 9 } });
    const permissions = open({ contents });
    const asker = answering("once");
    expect(await statuses(permissions, story, asker)).toEqual(["allow"]);
    expect(asker.asked[0]?.answers.map(({ value }) => value)).toEqual(["once", "no"]);
    expect(asker.asked[0]?.reason).toContain("It can only be allowed this time: it is made of more than 1 files.");
    expect(await permissions.grant(mountOf(story), "net.fetch")).toMatchObject({ kind: "unknowable" });
    expect(await statuses(permissions, story, NOBODY)).toEqual(["deny"]);
  });

  test("grants of the old form, by name alone, are not believed", async () => {
    writeFileSync(join(folder, "grants.json"), JSON.stringify({ weather: ["net.fetch"] }), { mode: 0o600 });
    expect(await statuses(open(), makeStory("inn"), NOBODY)).toEqual(["deny"]);
  });

  test("a policy's grants go by name, in the story it is used with", async () => {
    const [inn, mill] = [makeStory("inn"), makeStory("mill")];
    const permissions = open({ policyHoldsFor: (dir) => dir === inn }, { weather: ["net.fetch"] });
    expect(await statuses(permissions, inn, NOBODY)).toEqual(["allow"]);
    expect(await statuses(permissions, mill, NOBODY)).toEqual(["deny"]);
  });

  test("a grant can be taken back; one that the policy gives cannot", async () => {
    const mount = mountOf(makeStory("inn"));
    const permissions = open({}, { weather: ["fs.temp"] });
    await permissions.grant(mount, "net.fetch");
    expect(await permissions.grantsOf(mount)).toEqual(["fs.temp", "net.fetch"]);
    expect([permissions.revoke(mount, "net.fetch"), permissions.revoke(mount, "fs.temp")]).toEqual([true, false]);
    expect(await permissions.grantsOf(mount)).toEqual(["fs.temp"]);
  });
});

test("[U1.13] of many wishes those that open most are named first", async () => {
  const small = Array.from({ length: 30 }, (_, n) => `kv.get:k${n}`);
  const asker = answering("no");
  await statuses(open(), makeStory("inn", [...small, "fs.write:/srv", ...small.map((one) => `${one}x`)]), asker);
  expect(plain(asker.asked[0]?.question)).toMatch(/asks to\n1\. change “\/srv”\n2\. read kept/);
});

describe("[Z1.5] paths", () => {
  test("are shown where they lead, and that place is kept", async () => {
    const story = makeStory("inn", ["fs.write:maps/../../outside"]);
    mkdirSync(join(folder, "outside"));
    const asker = answering("always");
    await statuses(open(), story, asker);
    expect(plain(asker.asked[0]?.question)).toBe(`The tool “weather” asks to change “${join(folder, "outside")}”.`);
    expect(keeper.load().grants[0]?.capabilities).toEqual([`fs.write:${join(folder, "outside")}`]);
  });

  test("that lead elsewhere since are asked about again", async () => {
    const link = join(folder, "link");
    const story = makeStory("inn", [`fs.read:${link}/maps`]);
    for (const name of ["one/maps", "two/maps"]) mkdirSync(join(folder, name), { recursive: true });
    symlinkSync(join(folder, "one"), link);
    await statuses(open(), story, answering("always"));
    expect(await statuses(open(), story, NOBODY)).toEqual(["allow"]);
    rmSync(link);
    symlinkSync(join(folder, "two"), link);
    expect(await statuses(open(), story, NOBODY)).toEqual(["deny"]);
  });
});

/** Without the marks that isolate. */
function plain(text: string | null | undefined): string {
  return (text ?? "").replaceAll(/[\u2068\u2069]/g, "");
}
