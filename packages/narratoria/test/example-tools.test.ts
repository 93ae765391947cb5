/** The example tools as a story would run them: the real executables, every line read by the host's parser. */
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { AssetEvent } from "@narratoria/tool";
import { endsWithOneDone, runProcess, type ProcessRun } from "../../tool/test/run-process.ts";

const TOOLS = fileURLToPath(new URL("../../../tools", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "example-tools-"));
let assetDir = "";
beforeEach(() => {
  assetDir = mkdtempSync(join(scratch, "assets-"));
});
afterAll(() => rmSync(scratch, { recursive: true }));

interface Manifest {
  name: string;
  protocol: string;
  transport: { type: string; command: [string, ...string[]] };
}

function readManifest(name: string): Manifest {
  return JSON.parse(readFileSync(join(TOOLS, name, "tool.json"), "utf8")) as Manifest;
}

async function runExample(name: string, input: object, env: Record<string, string> = {}): Promise<ProcessRun> {
  const command = join(TOOLS, name, readManifest(name).transport.command[0]);
  const run = await runProcess(command, {
    stdin: { requestId: "r", tool: name, operation: "run", input, context: { dependencies: {}, state: {} } },
    env: {
      // `#!/usr/bin/env node` must find the Node that runs this test.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`,
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONPATH: fileURLToPath(new URL("../../../sdks/python", import.meta.url)),
      NARRATORIA_ASSET_DIR: assetDir,
      ...env,
    },
    cwd: scratch,
  });
  expect(run.exitCode, run.stderr).toBe(0);
  expect(endsWithOneDone(run.events)).toBe(true);
  return run;
}

const failure = (code: string, message: unknown): object[] => [
  { version: "0", type: "error", errorCode: code, errorMessage: message },
  { version: "0", type: "done", ok: false, summary: message },
];

test.each(readdirSync(TOOLS))("%s: its manifest names it, and its command is executable", (name) => {
  const manifest = readManifest(name);
  expect(manifest).toMatchObject({ name, protocol: "narratoria/0", transport: { type: "stdio" } });
  accessSync(join(TOOLS, name, manifest.transport.command[0]), constants.X_OK);
});

describe("torch-lighter", () => {
  test("lights the torch and paints it", async () => {
    const { events } = await runExample("torch-lighter", { action: "light_torch" });
    expect(events).toEqual([
      { version: "0", type: "log", level: "info", message: "Lighting torch..." },
      { version: "0", type: "state_patch", patch: { inventory: { torch: { lit: true } } } },
      expect.objectContaining({ type: "asset", assetId: "torch", kind: "image", mediaType: "image/png" }),
      { version: "0", type: "done", ok: true, summary: "Torch lit." },
    ]);
    const png = readFileSync((events[2] as AssetEvent).path);
    expect(png.length).toBeLessThan(60_000);
    expect(png.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([480, 270]);
    const pixels = readPixels(png);
    const at = (x: number, y: number): number => pixels[y * 481 + 1 + x] ?? -1;
    expect(at(240, 130), "the heart of the flame").toBeGreaterThan(200);
    expect(at(5, 5), "the far corner").toBeLessThan(40);
  });

  test("a wet torch and an unknown action fail", async () => {
    const wet = await runExample("torch-lighter", { action: "light_torch", wet: true });
    expect(wet.events.slice(1)).toEqual(failure("TORCH_WET", "The torch is too wet to catch."));
    const unknown = await runExample("torch-lighter", { action: "eat_torch" });
    expect(unknown.events).toMatchObject(failure("UNKNOWN_ACTION", expect.stringContaining("eat_torch")));
  });
});

test("door-examiner: finds the runes and offers choices", async () => {
  const { events } = await runExample("door-examiner", { target: "mysterious_door" });
  expect(events).toEqual([
    { version: "0", type: "log", level: "info", message: "Examining door..." },
    { version: "0", type: "state_patch", patch: { discovered: { door_inscription: "Ancient runes" } } },
    { version: "0", type: "ui_event", event: "narrative_choice", payload: { choices: ["Open", "Leave"] } },
    { version: "0", type: "done", ok: true, summary: "Door examined." },
  ]);
  const other = await runExample("door-examiner", { target: "moon" });
  expect(other.events).toMatchObject(failure("UNKNOWN_TARGET", expect.stringContaining("moon")));
});

describe("dice-roller", () => {
  const roll = async (
    input: object,
  ): Promise<{ notation: string; rolls: number[]; modifier: number; total: number }> => {
    const { events } = await runExample("dice-roller", input);
    const patch = events.find((event) => event.type === "state_patch")?.patch as never as {
      dice: { last: { notation: string; rolls: number[]; modifier: number; total: number } };
    };
    return patch.dice.last;
  };

  test.each([
    ["2d6+1", 2, 6, 1],
    ["d20", 1, 20, 0],
    ["100D1000 - 7", 100, 1000, -7],
  ])("%s rolls as it says", async (dice, count, sides, modifier) => {
    const last = await roll({ dice });
    expect(last.rolls.length).toBe(count);
    expect(last.rolls.every((face) => Number.isInteger(face) && face >= 1 && face <= sides)).toBe(true);
    expect(last.modifier).toBe(modifier);
    expect(last.total).toBe(last.rolls.reduce((sum, face) => sum + face, 0) + modifier);
  });

  test("a seed decides the roll; every face of the die comes up", async () => {
    const [first, again, other] = await Promise.all([
      roll({ dice: "100d6", seed: 7 }),
      roll({ dice: "100d6", seed: 7 }),
      roll({ dice: "100d6", seed: "eight" }),
    ]);
    expect(again).toEqual(first);
    expect(other.rolls).not.toEqual(first.rolls);
    expect(new Set(first.rolls)).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  });

  test.each([[""], ["2d"], ["0d6"], ["101d6"], ["1d1"], ["1d1001"], ["2d6+1+1"], ["2d6; rm"], [7], [null]])(
    "%j is bad notation",
    async (dice) => {
      const { events } = await runExample("dice-roller", { dice });
      expect(events).toEqual(failure("BAD_NOTATION", expect.any(String)));
    },
  );
});

test("bell-ringer: a WAV of two seconds that is not silent and does not click", async () => {
  const { events } = await runExample("bell-ringer", {});
  expect(events.map((event) => event.type)).toEqual(["log", "asset", "done"]);
  const asset = events[1] as AssetEvent;
  expect(asset).toMatchObject({ kind: "audio", mediaType: "audio/wav" });
  const wav = readFileSync(asset.path);
  expect([wav.toString("latin1", 0, 4), wav.toString("latin1", 8, 12)]).toEqual(["RIFF", "WAVE"]);
  expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([1, 22050, 16]);
  expect(wav.length).toBe(44 + 2 * 2 * 22050);
  const samples = Array.from({ length: 2 * 22050 }, (_, n) => Math.abs(wav.readInt16LE(44 + 2 * n)));
  expect(samples.reduce((loudest, sample) => Math.max(loudest, sample))).toBe(28000);
  expect([samples[0], samples.at(-1)]).toEqual([0, 0]);
});

test("[T4.1] slow-map: progress grows to 1, then the map is drawn", async () => {
  const { events } = await runExample("slow-map", { steps: 4, delayMs: 1 });
  const progress = events.map((event) => (event.type === "log" ? event.fields?.["progress"] : event.type));
  expect(progress).toEqual([0.25, 0.5, 0.75, 1, "state_patch", "done"]);
  expect(events.at(-2)).toMatchObject({ patch: { map: { drawn: true } } });
});

describe("flaky-lantern", () => {
  test("the input decides", async () => {
    const works = await runExample("flaky-lantern", { fails: false });
    expect(works.events.slice(1)).toEqual([
      { version: "0", type: "state_patch", patch: { lantern: { lit: true } } },
      { version: "0", type: "done", ok: true, summary: "The lantern burns." },
    ]);
    const fails = await runExample("flaky-lantern", { fails: true });
    expect(fails.events.slice(1)).toEqual(failure("WICK_SPUTTERED", "The wick sputters out."));
  });

  test("without it, the request id decides, about half the time", async () => {
    const outcomes: boolean[] = [];
    for (let n = 0; n < 40; n++) {
      const NARRATORIA_REQUEST_ID = `0b5c1d9e-3f00-4a70-8f00-${String(n * 7919).padStart(12, "0")}`;
      const { events } = await runExample("flaky-lantern", {}, { NARRATORIA_REQUEST_ID });
      const done = events.at(-1);
      outcomes.push(done?.type === "done" && done.ok);
    }
    const works = outcomes.filter(Boolean).length;
    expect(works).toBeGreaterThan(10);
    expect(works).toBeLessThan(30);
  });
});

/** The palette indexes of a PNG with one IDAT chunk, a filter byte before each row. */
function readPixels(png: Buffer): Buffer {
  const start = png.indexOf("IDAT");
  return inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
}
