/** Python tools in containers: the command line, with a docker that only writes down what it was told, and real podman. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { createContainerRunner } from "../src/runners/python/container.ts";
import { sweepLeftoverContainers } from "../src/runners/python/leftover-containers.ts";
import { hostName } from "../src/runtime/seams/host-name.ts";
import { mountManifest } from "../src/runtime/mounts/read-manifest.ts";
import { testPermissions } from "./test-permissions.ts";
import type { ResolvedTool } from "../src/runtime/seams/resolved-tool.ts";
import { callPython, messageOf } from "./python-story.ts";

const runner = createContainerRunner({ maxResponseBytes: 1024 * 1024 });
const hostPath = process.env["PATH"] ?? "";
let bin: string;

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), "narratoria-docker-"));
  process.env["PATH"] = bin;
});
afterEach(() => {
  process.env["PATH"] = hostPath;
  rmSync(bin, { recursive: true });
});

interface FakeRuntime {
  args(): string[];
  input(): unknown;
  /** What it found in its environment. */
  secret(): string;
}

/** A program that writes its arguments and its input beside itself, and then does as told. */
function fakeRuntime(name: "docker" | "podman", does: string): FakeRuntime {
  const file = join(bin, name);
  const record = `for a in "$@"; do echo "$a"; done >> ${file}.args\necho "$WEATHER_KEY" >> ${file}.secret\n[ "$1" = run ] && /usr/bin/cat > ${file}.in\n`;
  writeFileSync(file, `#!/bin/sh\n${record}${does}\n`);
  chmodSync(file, 0o755);
  return {
    args: () => readFileSync(`${file}.args`, "utf8").trim().split("\n"),
    secret: () => readFileSync(`${file}.secret`, "utf8").trim(),
    input: () => JSON.parse(readFileSync(`${file}.in`, "utf8")) as unknown,
  };
}

function read(container: JsonObject, more: JsonObject = {}): ReturnType<typeof mountManifest> {
  const manifest = { name: "greeter-box", kind: "tool", protocol: "namel3ss/1", entry: "tools.sample_tool:greet" };
  const transport = { type: "stdio" };
  return mountManifest({ ...manifest, transport, capabilities: [], container, ...more }, "/story", "/story");
}

function mount(container: JsonObject, more: JsonObject = {}): ResolvedTool {
  const reading = read(container, more);
  if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
  return reading.tool;
}

const BOX = { image: "greeter:1", command: ["python3", "-m", "runner"], env: { ZEBRA: "z", APPLE: "a=1" } };

describe("the command line", () => {
  test("[Y1.5] no network, no rights, limits, the environment sorted, the image and the command last", async () => {
    const docker = fakeRuntime("docker", `echo '{"ok": true, "result": {"message": "Hello Ada"}}'`);
    const tool = mount(BOX, { limits: { memoryMb: 200, processes: 8 } });
    const run = await callPython(runner, tool, { requestId: "span", input: { name: "Ada" } });
    expect([run.outcome, run.output]).toEqual(["completed", { message: "Hello Ada" }]);
    expect(run.report.sandbox).toBe("container");
    const expected =
      `run --rm -i --name narratoria-span --label narratoria.host=${hostName()} ` +
      "--pull=never --network none --cap-drop ALL --security-opt no-new-privileges " +
      "--read-only --user 65534:65534 --memory 200m --cpus 1 --pids-limit 8 " +
      "--tmpfs /tmp:rw,exec,nosuid,nodev,mode=1777,size=200m " +
      "--env APPLE=a=1 --env HOME=/tmp --env NARRATORIA_REQUEST_ID=span --env ZEBRA=z greeter:1 python3 -m runner";
    expect(docker.args()).toEqual(expected.split(" "));
    expect(docker.input()).toEqual({
      protocol_version: 1,
      tool: "greeter-box",
      entry: "tools.sample_tool:greet",
      payload: { name: "Ada" },
    });
    expect(run.report.trace).toEqual({
      runner: "container",
      resolved_source: "binding",
      timeout_ms: 10_000,
      duration_ms: expect.any(Number),
      protocol_version: 1,
      container_runtime: "docker",
      image: "greeter:1",
      command: ["python3", "-m", "runner"],
    });
  });

  test("[K1.5] what was granted opens it", async () => {
    const docker = fakeRuntime("docker", `echo '{"ok": true}'`);
    const capabilities = ["net.fetch:example.org", "fs.read:/srv/maps", "fs.write:out", "fs.read:out/deeper"];
    await callPython(runner, mount(BOX, { capabilities }));
    const args = docker.args();
    expect(args).not.toContain("--network");
    expect(args).toContain("--pull=never");
    expect(args.filter((argument) => argument.startsWith("type="))).toEqual([
      "type=bind,source=/srv/maps,target=/srv/maps,readonly",
      "type=bind,source=/story/out,target=/story/out",
    ]);
  });

  test("who was granted a folder is the player there, unless that is root", async () => {
    const podman = fakeRuntime("podman", `echo '{"ok": true}'`);
    await callPython(runner, mount(BOX, { capabilities: ["fs.read:/srv/maps"] }));
    const [uid, gid] = [process.getuid?.(), process.getgid?.()];
    const expected = uid === 0 ? "--user 65534:65534 " : `--userns keep-id --user ${uid}:${gid} `;
    expect(podman.args().join(" ")).toContain(expected);
  });

  test("[K1.6] a secret stands in no command line", async () => {
    const docker = fakeRuntime("docker", `echo '{"ok": true}'`);
    await callPython(runner, mount(BOX), { secrets: { WEATHER_KEY: "swordfish-7" } });
    const args = docker.args();
    expect(args.join(" ")).not.toContain("swordfish-7");
    expect(args[args.indexOf("WEATHER_KEY") - 1]).toBe("--env");
    expect(docker.secret()).toBe("swordfish-7");
  });

  test.each([
    ["fs.read:/srv/maps,target=/etc,readonly=false", "comma"],
    ['fs.write:/srv/"maps', "quote"],
    ["fs.read:/srv/maps\ntype=bind", "line break"],
  ])("[K1.5] %j is not put on a command line that would read it as something else", async (capability, what) => {
    const docker = fakeRuntime("docker", `echo '{"ok": true}'`);
    const run = await callPython(runner, mount(BOX, { capabilities: [capability] }));
    expect(run.outcome).toBe("failed process_error SPAWN_FAILED");
    expect(messageOf(run.report)).toContain(what);
    expect(() => docker.args()).toThrow("ENOENT");
  });

  test("[K1.5] nor is a secret whose name stands for many", async () => {
    const docker = fakeRuntime("docker", `echo '{"ok": true}'`);
    const run = await callPython(runner, mount(BOX), { secrets: { "WEATHER*": "x" } });
    expect(run.outcome).toBe("failed process_error SPAWN_FAILED");
    expect(() => docker.args()).toThrow("ENOENT");
  });

  test("[K1.5] a folder of the story that is a link out of it is not given", async () => {
    const docker = fakeRuntime("docker", `echo '{"ok": true}'`);
    const story = mkdtempSync(join(tmpdir(), "narratoria-linked-"));
    symlinkSync("/etc", join(story, "maps"));
    const run = await callPython(runner, mount(BOX, { capabilities: ["fs.read:maps"] }), { storyDir: story });
    rmSync(story, { recursive: true });
    expect(messageOf(run.report)).toContain("leads out of the story");
    expect(() => docker.args()).toThrow("ENOENT");
  });

  test("[K1.5] [Z1.5] a granted folder that somebody has replaced by a link is not given (needs root)", async (context) => {
    if (process.getuid?.() !== 0) return context.skip("a link of somebody else's needs root");
    const docker = fakeRuntime("docker", `echo '{"ok": true}'`);
    const place = mkdtempSync(join(tmpdir(), "narratoria-granted-"));
    symlinkSync("/etc", join(place, "maps"));
    lchownSync(join(place, "maps"), 1000, 1000);
    const run = await callPython(runner, mount(BOX, { capabilities: [`fs.write:${join(place, "maps")}`] }), {});
    rmSync(place, { recursive: true });
    expect(messageOf(run.report)).toContain("is a link to /etc");
    expect(() => docker.args()).toThrow("ENOENT");
  });

  test("[K1.5] the image needs a grant, of exactly that image", async () => {
    fakeRuntime("docker", "true");
    const tool = mount(BOX);
    expect(tool.needs).toEqual(["exec.spawn:greeter:1"]);
    const refusal = async (grants: string[]): Promise<string | null> => {
      const permissions = testPermissions({ sandbox: "any", grants: { "greeter-box": grants } });
      return (await permissions.judge({ storyDir: "/story", tool })).refusal?.code ?? null;
    };
    expect(await refusal(["exec.spawn:greeter:1"])).toBeNull();
    expect(await Promise.all([[], ["exec.spawn:greeter"], ["exec.spawn:greeter:2"]].map(refusal))).toEqual([
      "FORBIDDEN",
      "FORBIDDEN",
      "FORBIDDEN",
    ]);
  });

  test("case 20: podman where there is no docker, or only its client", async () => {
    const podman = fakeRuntime("podman", `echo '{"ok": true}'`);
    const first = await callPython(runner, mount(BOX));
    expect([first.outcome, first.report.trace["container_runtime"]]).toEqual(["completed", "podman"]);
    fakeRuntime(
      "docker",
      "echo 'docker: Cannot connect to the Docker daemon at unix:///x. Is it running?' >&2; exit 125",
    );
    const second = await callPython(runner, mount(BOX));
    expect([second.outcome, second.report.trace["container_runtime"]]).toEqual(["completed", "podman"]);
    expect(podman.args().filter((argument) => argument === "run")).toHaveLength(2);
  });
});

describe("[Y1.6] what comes back", () => {
  test.each([
    ["echo 'out of luck' >&2; exit 3", "failed process_error EXIT_NONZERO", "exited with code 3: out of luck"],
    ["exit 137", "failed process_error SIGNALLED", "SIGKILL"],
    ["echo noise", "failed protocol_violation INVALID_JSON", "not valid JSON"],
    ["true", "failed protocol_violation INVALID_JSON", "empty"],
    [`echo '{"ok": true}'; exit 3`, "failed process_error EXIT_NONZERO", "exited with code 3"],
    [`echo '{"ok": false, "error": {"type": "E", "message": "m"}}'; exit 3`, "failed tool_failure E", "m"],
    ["echo 'Unable to find image' >&2; exit 125", "failed process_error SPAWN_FAILED", "Unable to find image"],
    ["head -c 2000000 /dev/zero", "failed protocol_violation RESPONSE_TOO_LARGE", "1048576"],
  ])("%s", async (does, outcome, message) => {
    fakeRuntime("docker", `PATH=/usr/bin:/bin\n${does}`);
    const run = await callPython(runner, mount(BOX));
    expect(run.outcome).toBe(outcome);
    expect(messageOf(run.report)).toContain(message);
    expect(run.report.trace).toMatchObject({ container_runtime: "docker", image: "greeter:1", command: BOX.command });
  });

  test("what the client has to say about the machine is a warning, and none of the tool's words", async () => {
    const unkept = "Resource limits are not supported and ignored on cgroups V1 rootless systems";
    const shared = 'time="2026-11-17T20:54:47Z" level=warning msg="\\"/\\" is not a shared mount"';
    const says = [
      unkept,
      shared,
      "WARNING: Your kernel does not support swap limit capabilities",
      "the tool's",
      unkept,
    ];
    writeFileSync(join(bin, "said"), says.map((line) => `${line}\n`).join(""));
    fakeRuntime("docker", `/usr/bin/cat ${bin}/said >&2; echo '{"ok": true, "result": 1}'`);
    const { report } = await callPython(runner, mount(BOX));
    expect([report.output, report.warnings]).toEqual([1, says.slice(0, 3)]);
    expect(report.stderrTail).toBe(`the tool's\n${unkept}\n`);
  });

  test.each([
    ["docker", `[ "$1" = events ] && echo '2026-11-18T02:42:37Z container oom 0d54 (name=narratoria-span)' && exit 0`],
    ["podman", ": > oom"],
  ] as const)("[T5.5] %s killed it for want of memory, and leaves nothing where we are", async (name, tells) => {
    const runtime = fakeRuntime(name, `PATH=/usr/bin:/bin\n${tells}\necho Killed >&2; exit 137`);
    const run = await callPython(runner, mount(BOX), { requestId: "span" });
    expect([run.outcome, messageOf(run.report)]).toEqual([
      "failed process_error OOM",
      "the tool used more memory than it may",
    ]);
    expect([run.report.exitCode, run.report.signal, existsSync("oom")]).toEqual([137, "SIGKILL", false]);
    if (name === "docker")
      expect(runtime.args().slice(-4)).toEqual(["--filter", "event=oom", "--filter", "container=narratoria-span"]);
    expect(readdirSync(tmpdir()).filter((folder) => folder.startsWith("narratoria-container-"))).toEqual([]);
  });

  test("[Y1.6] a result counts although a child ran out of memory, and so does the tool's own error", async () => {
    fakeRuntime("podman", `: > oom; echo '{"ok": true, "result": 1}'`);
    expect((await callPython(runner, mount(BOX))).outcome).toBe("completed");
    fakeRuntime("podman", `: > oom; echo '{"ok": false, "error": {"type": "MemoryError", "message": "m"}}'; exit 1`);
    expect((await callPython(runner, mount(BOX))).outcome).toBe("failed tool_failure MemoryError");
  });

  test("[Y1.4] at the time limit the container is removed by its name", async () => {
    const docker = fakeRuntime("docker", '[ "$1" = run ] && exec /usr/bin/sleep 60');
    const run = await callPython(runner, mount(BOX), { requestId: "slow", timeoutMs: 300 });
    expect(run.outcome).toBe("timeout timeout TIMEOUT");
    expect(docker.args().slice(-3)).toEqual(["rm", "--force", "narratoria-slow"]);
  });
});

describe("case 21: clear errors at mount", () => {
  test("no runtime", () => {
    const message = "needs docker or podman, and neither is on the PATH";
    expect(read(BOX)).toEqual({ kind: "invalid", problems: [{ pointer: "/container", message }] });
  });

  test.each<[JsonObject, string]>([
    [{ command: ["x"] }, "/container/image"],
    [{ image: "" }, "/container/image"],
    [{ image: "--privileged" }, "/container/image"],
    [{ image: "a", env: { "A=B": "c" } }, "/container/env"],
  ])("%j", (container, pointer) => {
    fakeRuntime("docker", "true");
    const reading = read(container);
    expect(reading.kind === "invalid" && reading.problems.map((problem) => problem.pointer)).toEqual([pointer]);
  });
});

describe("[D1.4] a host that is killed leaves no container", () => {
  /** One that knows which containers there are, each with its label, until they are removed. */
  const KEEPS = `case $1 in
    run) shift; while [ "$1" != --label ]; do shift; done; echo "$2" > $0.running; exec /usr/bin/sleep 300;;
    ps) [ "$5" = "label=$(/usr/bin/cat $0.running)" ] && echo c0ffee;;
    rm) [ "$3" = c0ffee ] && /usr/bin/rm $0.running;; esac`;

  test("its warden removes it at once", async () => {
    fakeRuntime("docker", KEEPS);
    const running = join(bin, "docker.running");
    const killed = await killHost("some:image", () => existsSync(running));
    await until(() => !existsSync(running));
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith(`narratoria-container-${killed}`));
    expect(left).toHaveLength(1);
    await sweepLeftoverContainers();
    expect(left.filter((name) => existsSync(join(tmpdir(), name)))).toEqual([]);
  });

  test("and when that was killed too, the next host does", async () => {
    const docker = fakeRuntime("docker", KEEPS);
    const host = `${process.pid}.1.${hostName().split(".")[2]}`;
    writeFileSync(join(bin, "docker.running"), `narratoria.host=${host}`);
    const folder = join(tmpdir(), `narratoria-container-${host}-aaaaaa`);
    mkdirSync(folder);
    await sweepLeftoverContainers();
    expect([existsSync(folder), existsSync(join(bin, "docker.running"))]).toEqual([false, false]);
    expect(docker.args()).toContain(`label=narratoria.host=${host}`);
  });
});

/** Gives its number. */
async function killHost(image: string, isUp: () => boolean): Promise<number> {
  const host = spawn(process.execPath, [join(import.meta.dirname, "container-host.ts"), image], { stdio: "ignore" });
  await until(isUp);
  host.kill("SIGKILL");
  await once(host, "exit");
  return host.pid ?? 0;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
}

const podman = preparePodman();
afterAll(() => podman.release());

describe.runIf(podman.works)("with real podman", () => {
  beforeEach(() => {
    writeFileSync(join(bin, "podman"), podman.wrapper);
    chmodSync(join(bin, "podman"), 0o755);
  });

  test("[Y1.5] a response comes back, from a container without network and with its environment", async () => {
    const script =
      'read -r line; net=$(ls /sys/class/net | tr "\\n" " "); echo "{\\"ok\\": true, \\"result\\": \\"$net$APPLE\\"}"';
    const run = await callPython(runner, mount({ ...BOX, image: podman.image, command: ["/bin/sh", "-c", script] }));
    expect([run.outcome, run.output, run.report.stderrTail]).toEqual(["completed", "lo a=1", ""]);
    expect(run.report.trace).toMatchObject({ container_runtime: "podman", image: podman.image });
    expect(run.report.sandbox).toBe("container");
  });

  test("[Z1.3] it is nobody, without rights, and may write to its own /tmp only", async () => {
    const script =
      "read -r line; caps=none; while read -r name value; do case $name in CapBnd:|CapEff:) [ $value = 0000000000000000 ] || " +
      "caps=$name$value;; NoNewPrivs:) new=$value;; Uid:) uid=$value;; esac; done < /proc/self/status; " +
      "t=no; (echo x > /tmp/x) && t=yes; r=no; (echo x > /x) 2>/dev/null && r=yes; v=no; (echo x > /run/x) 2>/dev/null && v=yes; " +
      'set -- $uid; echo "{\\"ok\\": true, \\"result\\": \\"$1 $caps $new $t $r $v $KEY\\"}"';
    const tool = mount({ image: podman.image, command: ["/bin/sh", "-c", script] });
    const run = await callPython(runner, tool, { secrets: { KEY: "s3cret" } });
    expect([run.outcome, run.output]).toEqual(["completed", "65534 none 1 yes no no s3cret"]);
  });

  test("[K1.5] it reads what was granted, and cannot write to it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "narratoria-granted-"));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "map"), "x marks the spot\n", { mode: 0o644 });
    const script = `read -r line; read -r map < ${folder}/map; w=no; (echo x > ${folder}/y) 2>/dev/null && w=yes; echo "{\\"ok\\": true, \\"result\\": \\"$map $w\\"}"`;
    const more = { capabilities: [`fs.read:${folder}`] };
    const run = await callPython(runner, mount({ image: podman.image, command: ["/bin/sh", "-c", script] }, more));
    rmSync(folder, { recursive: true });
    expect([run.outcome, run.output]).toEqual(["completed", "x marks the spot no"]);
  });

  test("[Y1.4] a container over its time is gone", async () => {
    const command = ["/bin/sh", "-c", "sleep 61"];
    const run = await callPython(runner, mount({ ...BOX, image: podman.image, command }), {
      requestId: "over",
      timeoutMs: 3_000,
    });
    expect(run.outcome).toBe("timeout timeout TIMEOUT");
    const left = execFileSync(join(bin, "podman"), ["ps", "--all", "--quiet", "--filter", "name=narratoria-over"]);
    expect(left.toString()).toBe("");
  });

  test.runIf(podman.keepsLimits)("[T5.5] over its memory it is OOM (needs podman that keeps limits)", async () => {
    const command = ["/bin/sh", "-c", "a=0123456789abcdef; while :; do a=$a$a; done"];
    const tool = mount({ image: podman.image, command }, { limits: { memoryMb: 64 } });
    const run = await callPython(runner, tool);
    expect([run.outcome, run.report.exitCode]).toEqual(["failed process_error OOM", 137]);
    expect(existsSync("oom")).toBe(false);
  });

  test("[D1.4] a host that is killed leaves no container", async () => {
    const file = join(bin, "podman");
    const containers = (): string => execFileSync(file, ["ps", "-q", "--filter", "label=narratoria.host"]).toString();
    await killHost(podman.image, () => containers() !== "");
    await until(() => containers() === "");
    expect(execFileSync(file, ["ps", "-aq", "--filter", "label=narratoria.host"]).toString()).toBe("");
  });

  test("case 21: an image that is not there", async () => {
    const run = await callPython(runner, mount({ image: "localhost/narratoria-nowhere:1" }));
    expect(run.outcome).toBe("failed process_error SPAWN_FAILED");
  });
});

/** A small root file system with a shell, as an image; this machine's limits need the options. */
function preparePodman(): { works: boolean; keepsLimits: boolean; image: string; wrapper: string; release(): void } {
  const image = "localhost/narratoria-test:1";
  const real = ["/usr/bin/podman", "/usr/local/bin/podman"].find((file) => existsSync(file)) ?? "";
  const run =
    '[ "$1" = run ] && shift && exec "$podman" --runtime runc run --ulimit nofile=1024:1024 --ulimit nproc=4096:4096 "$@"';
  const wrapper = `#!/bin/sh\nexport PATH=/usr/sbin:/usr/bin:/sbin:/bin\npodman=${real}\n${run}\nexec "$podman" "$@"\n`;
  if (real === "") {
    process.stderr.write(
      "SKIPPED: real podman is not installed here, so containers were tested with a stand-in only\n",
    );
    return { works: false, keepsLimits: false, image, wrapper, release: () => {} };
  }
  const root = mkdtempSync(join(tmpdir(), "narratoria-rootfs-"));
  const tree = join(root, "tree");
  for (const folder of ["bin", "tmp", "proc", "sys", "dev", "etc", "run"])
    mkdirSync(join(tree, folder), { recursive: true });
  // As in every image; the one that is put there takes the same mode.
  chmodSync(join(tree, "tmp"), 0o1777);
  for (const program of ["sh", "ls", "tr", "sleep"]) copyWithLibraries(`/bin/${program}`, tree);
  execFileSync("tar", ["-cf", join(root, "image.tar"), "-C", tree, "."]);
  spawnSync(real, ["import", "--quiet", join(root, "image.tar"), image], { timeout: 60_000 });
  writeFileSync(join(root, "podman"), wrapper, { mode: 0o755 });
  const trial = spawnSync(
    join(root, "podman"),
    ["run", "--rm", "--network", "none", "--pull", "never", "--memory", "64m", image, "/bin/sh", "-c", "echo fine"],
    {
      encoding: "utf8",
      timeout: 60_000,
    },
  );
  const works = trial.stdout === "fine\n";
  const keepsLimits = works && !trial.stderr.includes("Resource limits are not supported");
  if (!works) process.stderr.write(`SKIPPED: podman does not work here: ${trial.stderr}\n`);
  const release = (): void => {
    spawnSync(real, ["rmi", "--force", image]);
    rmSync(root, { recursive: true, force: true });
  };
  return { works, keepsLimits, image, wrapper, release };
}

function copyWithLibraries(program: string, tree: string): void {
  const libraries = execFileSync("ldd", [program], { encoding: "utf8" }).match(/\/\S+/g) ?? [];
  for (const file of [program, ...libraries]) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    copyFileSync(file, join(tree, file));
  }
}
