/** Capabilities from the manifest to the walls of the sandbox: real manifests, real policies, `narratoria run`. */
import { createServer } from "node:http";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeStory, shellTool, DONE, type MadeStory, type StoryRun } from "./made-story.ts";
import { narratoria } from "./narratoria-command.ts";
import { eventsNamed } from "./scripted-host.ts";

/** Prints a log line for each file that shell commands could read, or not. */
const tell = (what: string, command: string): string =>
  `if ${command}; then r=yes; else r=no; fi 2>/dev/null
   echo '{"version":"0","type":"log","level":"info","message":"${what}: '$r'"}'`;

function messages({ result }: StoryRun): string[] {
  return (result.toolResults[0]?.events ?? []).flatMap((event) => (event.type === "log" ? [event.message] : []));
}

function decisions({ events }: StoryRun): string[] {
  return eventsNamed(events, "policy:decision").map(({ status, data }) => `${status} ${data.capability}`);
}

function grant(story: MadeStory, grants: object, sandbox = "any"): string[] {
  return ["--policy", story.write("policy.json", { sandbox, grants })];
}

/** A folder beside the story, outside of it. */
function beside(story: MadeStory, name: string, files: Record<string, string> = {}): string {
  const folder = join(dirname(story.path), name);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

afterEach(() => {
  delete process.env["WEATHER_KEY"];
  delete process.env["OTHER_KEY"];
});

describe("[K1.5] what is not granted", () => {
  test("is denied, each capability with one decision, and the tool never starts", async () => {
    using story = makeStory();
    const out = beside(story, "out");
    const asked = ["net.fetch:example.org", `fs.write:${out}`, "secrets.read:WEATHER_KEY", "cooks-well"];
    story.writeAll(shellTool("oven", asked, `touch ${out}/started`));
    const run = await story.run("oven");
    expect(run.exitCode).toBe(1);
    expect(decisions(run)).toEqual(asked.slice(0, 3).map((capability) => `deny ${capability}`));
    expect(run.events.map(({ event }) => event)).not.toContain("tool:start");
    expect(run.result.toolResults[0]).toMatchObject({
      state: "failed",
      attempts: [],
      errorDetail: {
        category: "forbidden",
        code: "FORBIDDEN",
        message: expect.stringContaining("net.fetch:example.org"),
      },
    });
    expect(existsSync(join(out, "started"))).toBe(false);
  });

  test("one denied of several is enough", async () => {
    using story = makeStory(shellTool("oven", ["net.fetch", "kv.get"], ""));
    const run = await story.run("oven", ...grant(story, { oven: ["net.fetch"] }));
    expect(decisions(run)).toEqual(["allow net.fetch", "deny kv.get"]);
    expect(run.result.toolResults[0]?.errorDetail?.code).toBe("FORBIDDEN");
  });

  test("other strings only describe: nobody decides about them", async () => {
    using story = makeStory(shellTool("oven", ["cooks-well", "fs.readability"], ""));
    const run = await story.run("oven");
    expect([run.exitCode, decisions(run)]).toEqual([0, []]);
  });

  test("another mount's grants are not this one's, also not for a plan that finds a tool of that name elsewhere", async () => {
    using story = makeStory({ ...shellTool("oven", ["net.fetch"], ""), ...shellTool("stove", ["net.fetch"], "") });
    const policy = grant(story, { stove: ["net.fetch"] });
    expect((await story.run("oven", ...policy)).result.toolResults[0]?.errorDetail?.code).toBe("FORBIDDEN");

    const { "tools/stove/tool.json": manifest } = shellTool("stove", ["net.fetch"], "") as {
      "tools/stove/tool.json": object;
    };
    story.write("cellar/stove/tool.json", manifest);
    story.write("cellar/stove/stove.sh", DONE);
    const plan = story.write("other.json", {
      requestId: "p",
      narrative: "",
      tools: [{ toolId: "it", toolPath: "cellar/stove" }],
    });
    const { exitCode, stdout } = await narratoria(["run", plan, ...policy]);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { details: { problems: [{ code: "PATH_FORBIDDEN" }] } } });
  });
});

describe("[K1.5] [Z1.3] what is granted widens the sandbox, one by one", () => {
  test("fs.read: that folder and nothing beside it", async () => {
    using story = makeStory();
    const maps = beside(story, "maps", { hill: "a hill" });
    const secrets = beside(story, "maps-secret", { key: "x" });
    const script = [
      tell("granted", `grep -q hill ${maps}/hill`),
      tell("beside", `cat ${secrets}/key`),
      tell("write", `touch ${maps}/new`),
    ].join("\n");
    story.writeAll(shellTool("atlas", [`fs.read:${maps}`], script));
    const run = await story.run("atlas", ...grant(story, { atlas: [`fs.read:${maps}`] }));
    expect(messages(run)).toEqual(["granted: yes", "beside: no", "write: no"]);
    expect(decisions(run)).toEqual([`allow fs.read:${maps}`]);
  });

  test("fs.write: files arrive on the host, changed, new and removed ones", async () => {
    using story = makeStory();
    const out = beside(story, "out", { old: "old", kept: "kept", gone: "gone" });
    const script = `cd ${out} && echo new > old && echo made > made && mkdir -p deep/er && echo x > deep/er/file && rm gone`;
    story.writeAll(shellTool("scribe", [`fs.write:${out}`], script));
    const run = await story.run("scribe", ...grant(story, { scribe: ["fs.write"] }));
    expect(run.exitCode, run.stdout).toBe(0);
    expect(readFileSync(join(out, "old"), "utf8")).toBe("new\n");
    expect(readFileSync(join(out, "kept"), "utf8")).toBe("kept");
    expect(readFileSync(join(out, "deep/er/file"), "utf8")).toBe("x\n");
    expect(existsSync(join(out, "gone"))).toBe(false);
  });

  test("fs.write: two tools at once do not undo each other's work", async () => {
    using story = makeStory();
    const out = beside(story, "out", { shared: "shared" });
    const writer = (name: string): Record<string, string | object> =>
      shellTool(name, [`fs.write:${out}`], `sleep 0.5; echo ${name} > ${out}/${name}; sleep 0.5`);
    story.writeAll({ ...writer("one"), ...writer("two") });
    const tools = ["one", "two"].map((name) => ({ toolId: name, toolPath: name, async: true }));
    const plan = story.write("plan.json", { requestId: "p", narrative: "", parallel: true, tools });
    const { exitCode } = await narratoria(["run", plan, ...grant(story, { one: ["fs.write"], two: ["fs.write"] })]);
    expect(exitCode).toBe(0);
    expect(["one", "two", "shared"].map((name) => existsSync(join(out, name)))).toEqual([true, true, true]);
  });

  test("net.fetch: the network, a server on the host included", async () => {
    const server = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const script = `r=$(python3 -c 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:${port}").read().decode())')
      echo '{"version":"0","type":"log","level":"info","message":"got '$r'"}'`;
    using story = makeStory({
      ...shellTool("caller", ["net.fetch:127.0.0.1"], script),
      ...shellTool("quiet", [], script),
    });
    const caller = await story.run("caller", ...grant(story, { caller: ["net.fetch"] }));
    const quiet = await story.run("quiet");
    server.close();
    expect(messages(caller)).toEqual(["got hello"]);
    expect(messages(quiet)).toEqual(["got "]);
  });

  test("[K1.6] secrets.read: in the tool's environment, and nowhere in what is written", async () => {
    process.env["WEATHER_KEY"] = 'sunny-"9f3c"-key';
    process.env["OTHER_KEY"] = "not-asked-for";
    const script = `test "$WEATHER_KEY" = 'sunny-"9f3c"-key' && [ -z "$OTHER_KEY" ] || exit 7
      printf '{"version":"0","type":"log","level":"info","message":"key %s"}\\n' 'sunny-\\"9f3c\\"-key'
      echo '{"version":"0","type":"state_patch","patch":{"key":"sunny-\\u00229f3c\\"-key"}}'
      echo "complaint about $WEATHER_KEY" >&2`;
    using story = makeStory(shellTool("weather", ["secrets.read:WEATHER_KEY"], script));
    const run = await story.run("weather", ...grant(story, { weather: ["secrets.read:WEATHER_KEY"] }));
    expect(run.exitCode, run.stdout).toBe(0);
    expect(messages(run)).toEqual(["key [secret]"]);
    expect(run.result.aggregatedState).toEqual({ key: "[secret]" });
    expect(run.result.toolResults[0]?.attempts[0]?.stderrTail).toBe("complaint about [secret]\n");
    expect(run.stdout + run.stderr).not.toContain("9f3c");
  });

  test("[K1.6] a line that is no event is not quoted when the tool knows a secret", async () => {
    process.env["WEATHER_KEY"] = "0123456789abcdef".repeat(20);
    using story = makeStory(shellTool("weather", ["secrets.read:WEATHER_KEY"], 'echo "oops $WEATHER_KEY"'));
    const run = await story.run("weather", ...grant(story, { weather: ["secrets.read"] }));
    expect(run.result.toolResults[0]?.errorDetail?.code).toBe("INVALID_JSON");
    expect(run.stdout).not.toContain("89abcdef");
  });

  test("[P1.6] exec.spawn: a command from outside the story, and its arguments are no leave to read", async () => {
    using story = makeStory();
    const tools = beside(story, "elsewhere", { "tool.sh": `#!/bin/sh\n${tell("argument", 'cat "$1"')}\n${DONE}\n` });
    const locked = beside(story, "private", { key: "x" });
    const manifest = (command: string[]): object => ({
      name: "guest",
      kind: "tool",
      protocol: "narratoria/0",
      capabilities: [],
      transport: { type: "stdio", command },
    });
    story.write("story.json", {
      title: "t",
      mounts: [manifest(["sh", join(tools, "tool.sh"), join(locked, "key")])],
    });
    const refused = await story.run("guest");
    expect([refused.exitCode, decisions(refused)]).toEqual([1, ["deny exec.spawn"]]);
    const run = await story.run("guest", ...grant(story, { guest: ["exec.spawn"] }));
    expect(run.exitCode, run.stdout).toBe(0);
    expect(messages(run)).toEqual(["argument: no"]);
  });
});

describe("[K1.5] a path grant covers what really lies below it", () => {
  test.each<[asked: (maps: string) => string, expected: string]>([
    [(maps) => maps, "allow"],
    [(maps) => `${maps}/north`, "allow"],
    [(maps) => `${maps}-secret`, "deny"],
    [(maps) => `${maps}/../maps-secret`, "deny"],
    [(maps) => `${maps}/north/../../maps-secret`, "deny"],
    [(maps) => `${maps}/door`, "deny"],
    [(maps) => dirname(maps), "deny"],
  ])("case %#: %s", async (asked, expected) => {
    using story = makeStory();
    const maps = beside(story, "maps/north") && beside(story, "maps");
    const secret = beside(story, "maps-secret", { key: "x" });
    symlinkSync(secret, join(maps, "door"));
    const capability = `fs.read:${asked(maps)}`;
    story.writeAll(shellTool("atlas", [capability], ""));
    const run = await story.run("atlas", ...grant(story, { atlas: [`fs.read:${maps}`] }));
    expect(decisions(run)).toEqual([`${expected} ${capability}`]);
  });
});

describe("the policy file", () => {
  test.each([
    ["full", "--no-sandbox", "failed SANDBOX_REQUIRED"],
    ["any", "--no-sandbox", "completed none"],
    ["full", null, "completed full"],
  ])('[Z1.3] "sandbox": "%s" with %s: %s', async (sandbox, option, expected) => {
    using story = makeStory(shellTool("oven", [], ""));
    const run = await story.run("oven", ...grant(story, {}, sandbox), ...(option === null ? [] : [option]));
    const [tool] = run.result.toolResults;
    const levels = tool?.attempts.map(({ sandbox: level }) => level) ?? [];
    expect([tool?.state, tool?.errorDetail?.code ?? "", ...levels].join(" ").replace("  ", " ").trim()).toBe(expected);
  });

  test.each([
    [{ sandbox: "most" }, "/sandbox"],
    [{ grants: [] }, "/grants"],
    [{ grants: { "a/b": ["net.fetch", "fly"] } }, "/grants/a~1b"],
    [{ grants: { oven: "net.fetch" } }, "/grants/oven"],
    [{ sandbocks: "full" }, "/sandbocks"],
    ["not an object", "/ must be"],
  ])("%j is refused with the place, and nothing runs", async (policy, pointer) => {
    using story = makeStory(shellTool("oven", [], ""));
    const plan = story.write("plan.json", {
      requestId: "p",
      narrative: "",
      tools: [{ toolId: "it", toolPath: "oven" }],
    });
    const { exitCode, stdout, stderr } = await narratoria([
      "run",
      plan,
      "--policy",
      story.write("p.json", JSON.stringify(policy)),
    ]);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(pointer);
  });
});
