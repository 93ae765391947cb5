/** [K1.6] Whatever a tool does with a secret it was granted, nobody outside of it gets to see it. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseToolEvent } from "@narratoria/tool/protocol";
import { createMountedRunner } from "../src/runners/mounted-runner.ts";
import { KEEPS_NOTHING, type MountedCall, type MountRunner } from "../src/runners/mount-runner.ts";
import { createHealthBook } from "../src/runtime/mounts/mount-health.ts";
import { bareTool } from "../src/runtime/mounts/resolve-tool.ts";
import { createToolRegistry } from "../src/runtime/mounts/tool-registry.ts";
import { bytesSource, takeAsset, type AssetSource } from "../src/runtime/seams/assets.ts";
import type { Question } from "../src/runtime/seams/player.ts";
import type { AttemptPort, AttemptReport, ReceivedEvent, ToolRunner } from "../src/runtime/seams/tool-runner.ts";
import { portTo } from "./attempt-port.ts";

const SECRET = "swordfish-7";
const story = { dir: "/story", title: "A story", version: null };
const registry = createToolRegistry();
const health = createHealthBook(() => 0);
const reference = registry.refer(story, { ...bareTool("/story/lamp", "lamp"), needs: ["secrets.read:LAMP_KEY"] });

beforeEach(() => (process.env["LAMP_KEY"] = SECRET));
afterEach(() => delete process.env["LAMP_KEY"]);

test("[K1.6] in its report, in how the mount fares, and in what it offers", async () => {
  const runner = runnerOf({ run: ({ mount }) => Promise.resolve(failing(`no: ${mount.secrets["LAMP_KEY"]}`)) });
  const report = await runner.run(call(), portTo(shut), never());
  expect(report.outcome).toMatchObject({ error: { message: "no: [secret]" } });
  expect(health.healthOf("/story", "lamp")).toMatchObject({ status: "failing", message: "no: [secret]" });
  expect(await runner.offers(reference, never())).toEqual([
    { operation: "run", description: "knows [secret]", inputs: null },
  ]);
});

test("[K1.6] in what it says and asks, and in the bytes of its assets", async () => {
  const received: ReceivedEvent[] = [];
  const asked: Question[] = [];
  const port: AttemptPort = {
    ...portTo((event) => void received.push(event)),
    ask: async (question) => (asked.push(question), null),
  };
  await runnerOf({ run: tellEverything }).run(call(), port, never());
  expect(JSON.stringify([received, asked])).not.toContain(SECRET);
  expect(received[0]?.event).toMatchObject({ message: "it is [secret]" });
  expect(asked).toMatchObject([{ question: "Is it [secret]?" }]);
  const taken = received.flatMap(({ asset }) => (asset === undefined ? [] : [takeAsset(STORE, asset)]));
  expect(await Promise.all(taken)).toEqual([
    { kind: "refused", reason: "it holds a secret that the tool was granted" },
    { kind: "stored", sha256: "", bytes: 4 },
  ]);
});

test("[K1.6] in a line that spells it with escapes of its own, which would be read back as what it is", async () => {
  const received: ReceivedEvent[] = [];
  const spelled = Array.from(SECRET)
    .map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
    .join("");
  const text = `{"version":"0","type":"log","level":"info","message":"it is ${spelled}"}`;
  const event = JSON.parse(text) as ReceivedEvent["event"];
  const run = async (_: MountedCall, port: AttemptPort): Promise<AttemptReport> => {
    await port.take({ event, text, warnings: [] });
    return failing("no");
  };
  await runnerOf({ run }).run(
    call(),
    portTo((line) => void received.push(line)),
    never(),
  );
  expect(received.map(({ text: kept }) => JSON.parse(kept) as unknown)).toMatchObject([{ message: "it is [secret]" }]);
});

test.each(["info", "1234", "0", "version"])("[K1.6] a secret %s leaves lines that can be read again", async (value) => {
  process.env["LAMP_KEY"] = value;
  const received: ReceivedEvent[] = [];
  const text = '{"version":"0","type":"log","level":"info","message":"1234 info","fields":{"n":1234,"version":0}}';
  const event = JSON.parse(text) as ReceivedEvent["event"];
  const run = async (_: MountedCall, port: AttemptPort): Promise<AttemptReport> => {
    await port.take({ event, text, warnings: [] });
    return failing("no");
  };
  await runnerOf({ run }).run(
    call(),
    portTo((line) => void received.push(line)),
    never(),
  );
  expect(received.map(({ text: kept }) => parseToolEvent(kept).kind)).toEqual(["event"]);
});

async function tellEverything({ mount }: MountedCall, port: AttemptPort): Promise<AttemptReport> {
  const known = mount.secrets["LAMP_KEY"] ?? "";
  const log = { version: "0", type: "log", level: "info", message: `it is ${known}` } as const;
  await port.take({ event: log, text: JSON.stringify(log), warnings: [] });
  for (const bytes of [`a picture of ${known}`, "none"]) {
    const asset = {
      version: "0",
      type: "asset",
      assetId: "a",
      kind: "image",
      mediaType: "image/png",
      path: "a",
    } as const;
    const source = bytesSource(Buffer.from(bytes), asset.mediaType);
    await port.take({ event: asset, text: JSON.stringify(asset), warnings: [], asset: source });
  }
  await port.ask({ toolId: "t", question: `Is it ${known}?`, reason: null, answers: [] });
  return failing("nothing");
}

const STORE = {
  take: async (source: AssetSource) => {
    const opened = await source.open();
    if (opened.kind === "refused") return opened;
    let bytes = 0;
    for await (const chunk of opened.bytes) bytes += chunk.length;
    return { kind: "stored", sha256: "", bytes } as const;
  },
};

function runnerOf({ run }: Pick<MountRunner, "run">): ToolRunner {
  const offers: MountRunner["offers"] = ({ secrets }) => {
    return Promise.resolve([{ operation: "run", description: `knows ${secrets["LAMP_KEY"]}`, inputs: null }]);
  };
  const runner = { run, offers, ...KEEPS_NOTHING };
  const byProtocol = { "narratoria/0": runner, "namel3ss/1": runner, "amplifier/1": runner, mcp: runner };
  return createMountedRunner({ registry, health, recorded: runner, byProtocol });
}

function call() {
  const about = { requestId: "r", storyTitle: "A story", sessionId: null, timeoutMs: 1_000 };
  return { ...about, tool: reference, operation: "run", input: {}, dependencies: {}, state: null };
}

function failing(message: string): AttemptReport {
  const error = { category: "tool_failure", code: "NO", message } as const;
  const nothing = { exitCode: 1, signal: null, stderrTail: "", warnings: [], eventsAfterDone: 0, trace: {} };
  return { outcome: { kind: "failed", error }, sandbox: "none", ...nothing };
}

function shut(): never {
  throw new Error("it says nothing");
}

function never(): AbortSignal {
  return new AbortController().signal;
}
