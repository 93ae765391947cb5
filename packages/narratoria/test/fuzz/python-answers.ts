/**
 * What Python tools answer: the frames of a process whose code may have been tampered with, and the replies of a service.
 * Whatever comes, the call ends as an attempt's report, and nothing of the process is left.
 */
import { Buffer } from "node:buffer";
import type { Json, JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import { z } from "zod";
import { createLocalRunner } from "../../src/runners/python/local.ts";
import { createServiceRunner } from "../../src/runners/python/service.ts";
import { mountManifest } from "../../src/runtime/mounts/read-manifest.ts";
import type { ResolvedTool } from "../../src/runtime/seams/resolved-tool.ts";
import type { Sandbox } from "../../src/runtime/seams/sandbox.ts";
import { damaged } from "../mutated-json.ts";
import { callPython, type PythonRun } from "../python-story.ts";
import { cutsOf } from "./cuts.ts";
import { hostileText } from "./hostile-pieces.ts";
import { httpResponses, openRawServer } from "./http-responses.ts";
import { anyBytes, sometimesSpoiled, spoiled } from "./mutate-bytes.ts";
import { createScriptedProcess, type ScriptedProcess } from "./scripted-process.ts";
import { must, mustBeJson, mustBeSame, type FuzzTarget } from "./target.ts";

const MOST_BYTES = 4 * 1024;
/** Stand for the ids that are drawn for each conversation, and are as long. */
const HELLO_ID = "00000000-0000-0000-0000-000000000000";
const CALL_ID = "11111111-1111-1111-1111-111111111111";
/** What stands before it is said at once, the rest when the call is made. */
const CALL_MARK = Buffer.from("\n== call ==\n");

const responses: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({
    ok: fc.constant(true),
    result: fc.jsonValue({ maxDepth: 2 }),
    protocol_version: fc.constantFrom<Json>(1, null),
  }),
  fc.record({ ok: fc.constant(false), error: fc.record({ type: hostileText, message: hostileText }) }),
) as fc.Arbitrary<JsonObject>;

export const pythonFrames: FuzzTarget = {
  few: 300,
  open: async () => ({
    inputs: fc.oneof({ weight: 2, arbitrary: sometimesSpoiled(conversations()) }, spoiled(SEEDS)),
    try: async (input) => {
      const runs = [];
      for (const cut of cutsOf(input).keys()) runs.push(await converse(input, cut));
      const [first] = runs;
      must(first !== undefined, "nothing was called");
      for (const other of runs) mustBeSame(summaryOf(first), summaryOf(other), "two ways to cut the same bytes");
      return describe(first);
    },
    close: async () => {},
  }),
};

export const pythonService: FuzzTarget = {
  few: 150,
  open: async () => {
    const server = await openRawServer();
    const runner = createServiceRunner({ maxResponseBytes: MOST_BYTES });
    const tool = mount({ type: "http", url: `${server.url}/run` });
    return {
      inputs: httpResponses(damaged(responses)),
      try: async (input) => {
        server.answerWith(input);
        const run = await callPython(runner, tool, { timeoutMs: 20_000 });
        await server.quiet();
        checkRun(run);
        return describe(run);
      },
      close: () => server.close(),
    };
  },
};

/** A whole call, from the start of the server to its end. */
async function converse(input: Buffer, cut: number): Promise<PythonRun> {
  const started: ScriptedProcess[] = [];
  const [before, after] = splitAtCall(input);
  const sandbox: Sandbox = {
    level: "full",
    launch: async () => {
      const scripted = createScriptedProcess((line) => void say(line));
      async function say(line: string): Promise<void> {
        const { id, request } = JSON.parse(line) as { id: string; request?: unknown };
        const said = request === undefined ? withId(before, HELLO_ID, id) : withId(after, CALL_ID, id);
        await scripted.print(cutsOf(said)[cut] ?? [said]);
        if (request !== undefined || after.length === 0 || isHalfAFrame(before)) scripted.exit(0);
      }
      started.push(scripted);
      return scripted.process;
    },
    close: () => Promise.resolve(),
  };
  const runner = createLocalRunner({ sandbox, maxResponseBytes: MOST_BYTES });
  const run = await callPython(runner, TOOL, { timeoutMs: 20_000 });
  await runner.close();
  checkRun(run);
  must(started.length > 0 && started.length <= 6, `${started.length} processes for one call`);
  for (const scripted of started) scripted.mustBeGone();
  return run;
}

const report = z.object({
  outcome: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("completed"), summary: z.string().nullable() }),
    z.object({
      kind: z.literal("failed"),
      error: z.object({ code: z.string().min(1), category: z.string(), message: z.string().min(1) }),
    }),
  ]),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  stderrTail: z.string(),
  warnings: z.array(z.string()),
  trace: z.object({ runner: z.string(), duration_ms: z.int() }).loose(),
});

/** A timeout is none of these: nothing here takes longer than to say it. */
function checkRun(run: PythonRun): void {
  const checked = report.safeParse(run.report);
  must(checked.success, () => `this is no report: ${JSON.stringify(run.report)} ${checked.error?.message}`);
  mustBeJson(run.report, "a report");
  must(JSON.stringify(run.output ?? null).length <= 2 * MOST_BYTES, "more was taken than may be");
  must((run.output !== undefined) === (run.outcome === "completed"), "an output without success, or none with it");
}

/** Whether it had left when it was killed is chance; what is told of the call is not. */
function summaryOf({ report: { outcome, output, warnings }, logs }: PythonRun): unknown {
  return { outcome, output, warnings, logs };
}

/** A tool names its errors as it likes. */
function describe({ outcome }: PythonRun): string {
  return outcome.replace(/(?<=tool_failure ).*/s, "with an error of its own");
}

function conversations(): fc.Arbitrary<Uint8Array> {
  const hello = { id: HELLO_ID, python: "/usr/bin/python3", imported: "ready", files: ["/story/tool.py"] };
  const hellos = fc.oneof(
    { weight: 30, arbitrary: fc.constant(hello) },
    { weight: 4, arbitrary: damaged(fc.constant(hello)) },
    fc.constantFrom("failed", "threads", "not yet").map((imported): Json => ({ ...hello, imported })),
  );
  const exits = fc.constantFrom<Json[]>(
    [0, null],
    [3, null],
    [null, 9],
    [null, 64],
    [0, 9],
    [256, null],
    [null, 65],
    ["0", null],
  );
  const frames = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constantFrom("O", "E"), anyBytes).map(([kind, data]) => frame(kind, data)) },
      { weight: 2, arbitrary: damaged(responses).map((value) => frame("R", value)) },
      fc.constantFrom(
        frame("B", { id: CALL_ID }),
        frame("H", hello),
        frame("O", Buffer.alloc(65_537)),
        frame("R", Buffer.alloc(5_000, "x")),
      ),
    ),
    { maxLength: 4 },
  );
  return fc
    .tuple(hellos, frames, fc.option(responses), exits, fc.boolean())
    .map(([first, printed, response, [exitCode = null, signal = null], isEnded]) =>
      Buffer.concat([
        frame("H", first),
        CALL_MARK,
        frame("B", { id: CALL_ID }),
        ...printed,
        ...(response === null ? [] : [frame("R", response)]),
        ...(isEnded ? [frame("X", { id: CALL_ID, exitCode, signal })] : []),
      ]),
    );
}

const SEEDS = [
  Buffer.concat([
    frame("H", { id: HELLO_ID, python: "/usr/bin/python3", imported: "ready", files: [] }),
    CALL_MARK,
    frame("B", { id: CALL_ID }),
    frame("O", Buffer.from("printed\n")),
    frame("E", Buffer.from("warned\n")),
    frame("R", { ok: true, result: { message: "Hello" } }),
    frame("X", { id: CALL_ID, exitCode: 0, signal: null }),
  ]),
];

function frame(kind: string, data: Json | Uint8Array): Buffer {
  const bytes = data instanceof Uint8Array ? data : Buffer.from(JSON.stringify(data));
  const head = Buffer.from([kind.charCodeAt(0), 0, 0, 0, 0]);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function splitAtCall(input: Buffer): [before: Buffer, after: Buffer] {
  const at = input.indexOf(CALL_MARK);
  return at < 0 ? [input, Buffer.alloc(0)] : [input.subarray(0, at), input.subarray(at + CALL_MARK.length)];
}

/** Whoever hears it would wait for the rest. */
function isHalfAFrame(bytes: Buffer): boolean {
  return bytes.length < 5 || bytes.readUInt32BE(1) > bytes.length - 5;
}

function withId(bytes: Buffer, placeholder: string, id: string): Buffer {
  return Buffer.from(bytes.toString("latin1").replaceAll(placeholder, id), "latin1");
}

const TOOL = mount({ type: "stdio" });

function mount(transport: JsonObject): ResolvedTool {
  const manifest = {
    name: "greeter",
    kind: "tool",
    protocol: "namel3ss/1",
    entry: "tool:run",
    transport,
    capabilities: [],
  };
  const reading = mountManifest(manifest, "/story", "/story");
  if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
  return reading.tool;
}
