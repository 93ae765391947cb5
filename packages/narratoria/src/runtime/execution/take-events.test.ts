import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { createFakeClock } from "../../../test/fake-clock.ts";
import type { DraftOf, EventDraft, NarratoriaEvent } from "../../story/event.ts";
import type { ModuleDescriptor } from "../../story/module-descriptor.ts";
import { sizeOf } from "../../story/state-size.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import { bytesSource, type AssetSource, type TakenAsset } from "../seams/assets.ts";
import { createTurnClocks } from "../seams/deadlines.ts";
import type { PlanScene } from "../seams/engine.ts";
import type { Question } from "../seams/player.ts";
import type { AttemptReport } from "../seams/tool-runner.ts";
import { createIntake } from "./take-events.ts";
import { createTurnLimits } from "./turn-limits.ts";

const SPAN = { module: "lamp", request_id: "p", span_id: "x" };
const PICTURE: ToolEvent = {
  version: "0",
  type: "asset",
  assetId: "a",
  kind: "image",
  mediaType: "image/png",
  path: "a.png",
};
const STORED: TakenAsset = { kind: "stored", sha256: "00", bytes: 1024 * 1024, width: 3 };
const DONE = { kind: "completed", summary: null } as const;

interface Given {
  manifest?: Partial<ModuleDescriptor>;
  state?: JsonObject;
  taken?: TakenAsset;
  diskMb?: number;
  isSlow?: boolean;
}

function open({ manifest, state = {}, taken = STORED, diskMb = 2, isSlow = false }: Given = {}) {
  const written: EventDraft[] = [];
  const lines: { draft: object; texts: string[]; progress: number | null }[] = [];
  const took: AssetSource[] = [];
  const asked: Question[] = [];
  const clocks = createTurnClocks(createFakeClock());
  const scene = {
    limits: createTurnLimits(),
    glance: () => ({ value: state, size: sizeOf(state) }),
    player: { ask: (question: Question) => (asked.push(question), Promise.resolve("yes")) },
    clocks,
  } as unknown as PlanScene;
  const bare = bareTool("/story/lamp", "lamp");
  const tool = {
    ...bare,
    limits: { ...bare.limits, diskMb },
    manifest: manifest === undefined ? null : (manifest as ModuleDescriptor),
  };
  const log = {
    emit: (draft: EventDraft): NarratoriaEvent | Promise<NarratoriaEvent> => {
      const number = written.push(draft);
      const event = { ...draft, id: `e${number}`, ts: 0, seq: number } as NarratoriaEvent;
      return isSlow ? Promise.resolve(event) : event;
    },
    emitLines: (draft: object, printed: readonly { text: string }[], progress: number | null) => {
      lines.push({ draft, texts: printed.map(({ text }) => text), progress });
      return isSlow ? Promise.resolve() : undefined;
    },
  };
  const assets = { take: async (source: AssetSource) => (took.push(source), taken) };
  const intake = createIntake({ toolId: "l1", tool, log }, assets, scene);
  const taking = intake.begin(SPAN);
  const take = (event: ToolEvent, asset?: AssetSource) =>
    taking.port.take({ event, text: JSON.stringify(event), warnings: [], ...(asset && { asset }) });
  return { written, lines, took, asked, clocks, taking, take };
}

const patch = (value: JsonObject): ToolEvent => ({ version: "0", type: "state_patch", patch: value });
const line = (message: string, fields?: JsonObject): ToolEvent => ({
  version: "0",
  type: "log",
  level: "info",
  message,
  ...(fields && { fields }),
});

describe.each([false, true])("[T3.1] what a tool says (a log that takes its time: %s)", (isSlow) => {
  test("is written as it was printed", async () => {
    const { take, written } = open({ isSlow });
    expect(await take(patch({ lit: true }))).toBeUndefined();
    const data = { toolId: "l1", event: patch({ lit: true }) };
    expect(written).toEqual([{ event: "tool:event", component: "runner", data, ...SPAN }]);
  });

  test("log lines are gathered until something else comes, with the last progress they told", async () => {
    const { take, written, lines, taking } = open({ isSlow });
    expect(take(line("one", { progress: 0.25 }))).toBeUndefined();
    expect(take(line("two"))).toBeUndefined();
    expect([written, lines]).toEqual([[], []]);
    await take(patch({ lit: true }));
    const draft = { event: "tool:event", component: "runner", data: { toolId: "l1" }, ...SPAN };
    expect(lines).toEqual([
      {
        draft,
        texts: [line("one", { progress: 0.25 }), line("two")].map((one) => JSON.stringify(one)),
        progress: 0.25,
      },
    ]);
    expect(written).toHaveLength(1);
    void take(line("three"));
    await taking.port.flush();
    expect(lines[1]).toEqual({ draft, texts: [JSON.stringify(line("three"))], progress: null });
    await taking.port.flush();
    expect(lines).toHaveLength(2);
  });
});

describe("[T4.1] an asset", () => {
  test("is kept, written with what is known of it, and named as an artifact", async () => {
    const { take, written, took, taking } = open();
    const source = bytesSource(Buffer.from("x"), "image/png");
    expect(await take({ ...PICTURE, metadata: { alt: "a lamp" } }, source)).toBeUndefined();
    expect(took).toEqual([source]);
    const [told, artifact] = written as [DraftOf<"tool:event">, EventDraft];
    expect(told.data.asset).toEqual({
      toolId: "l1",
      assetId: "a",
      kind: "image",
      mediaType: "image/png",
      metadata: { alt: "a lamp" },
      status: "stored",
      sha256: "00",
      bytes: 1024 * 1024,
      width: 3,
    });
    const data = { uri: "asset:e1", bytes: 1024 * 1024, mediaType: "image/png", toolId: "l1" };
    expect(artifact).toEqual({ event: "artifact:write", component: "runner", data, ...SPAN });
    expect(taking.warnings).toEqual([]);
  });

  test("without metadata has none", async () => {
    const { take, written } = open();
    await take(PICTURE, bytesSource(Buffer.from("x"), "image/png"));
    expect((written[0] as DraftOf<"tool:event">).data.asset).not.toHaveProperty("metadata");
  });

  test("that is refused is a warning, and no artifact", async () => {
    const { take, written, taking } = open({ taken: { kind: "refused", reason: "it is too large" } });
    await take(PICTURE, bytesSource(Buffer.from("x"), "image/png"));
    expect(taking.warnings).toEqual(["asset a was refused: it is too large"]);
    expect(written).toMatchObject([{ data: { asset: { status: "refused", reason: "it is too large" } } }]);
  });

  test("that came without its bytes is refused as that", async () => {
    const { take, took } = open();
    await take(PICTURE);
    expect([took[0]?.mediaType, await took[0]?.open()]).toEqual([
      "image/png",
      { kind: "refused", reason: "it came without its bytes" },
    ]);
  });

  test("counts against the tool's share of the disk, over all its assets", async () => {
    const { take, took, taking } = open({ diskMb: 2 });
    for (let n = 0; n < 3; n++) await take({ ...PICTURE, assetId: `a${n}` });
    expect(took).toHaveLength(2);
    expect(taking.warnings).toEqual(["asset a2 was refused: the tool's assets have more than 2 MB already"]);
    const refusing = open({ diskMb: 1, taken: { kind: "refused", reason: "no" } });
    for (let n = 0; n < 3; n++) await refusing.take(PICTURE);
    expect(refusing.took).toHaveLength(3);
  });
});

describe("[S1.2] a patch that may not be", () => {
  test("ends the attempt, and is not written", async () => {
    const { take, written } = open({ manifest: { writes: ["/lamp"] } });
    expect(await take(patch({ oil: 1 }))).toMatchObject({ category: "forbidden" });
    expect(await take(patch({ lamp: { lit: true } }))).toBeUndefined();
    expect(written).toHaveLength(1);
  });
});

describe("[Y1.6] what a tool returned", () => {
  const report = (output?: Json, outcome: AttemptReport["outcome"] = DONE): AttemptReport =>
    ({ outcome, ...(output !== undefined && { output }) }) as AttemptReport;

  test("goes where its mount wants it, as a patch of its own", async () => {
    const { taking, written } = open({ manifest: { into: "/weather" } });
    expect(await taking.takeReturned(report("rain"))).toEqual(DONE);
    expect(written).toMatchObject([{ event: "tool:event", data: { event: patch({ weather: "rain" }) } }]);
  });

  test.each<[what: string, given: Given, of: AttemptReport]>([
    ["the mount wants it nowhere", { manifest: {} }, report("rain")],
    ["there is no manifest", {}, report("rain")],
    ["nothing was returned", { manifest: { into: "/weather" } }, report()],
    [
      "it failed",
      { manifest: { into: "/weather" } },
      report("rain", { kind: "failed", error: { category: "tool_failure", code: "C", message: "m" } }),
    ],
  ])("goes nowhere when %s", async (_, given, of) => {
    const { taking, written } = open(given);
    expect(await taking.takeReturned(of)).toBe(of.outcome);
    expect(written).toEqual([]);
  });

  test("that does not fit fails the attempt", async () => {
    const list = open({ manifest: { into: "/items/0" }, state: { items: [] } });
    expect(await list.taking.takeReturned(report("rope"))).toEqual({
      kind: "failed",
      error: {
        category: "forbidden",
        code: "RESULT_DOES_NOT_FIT",
        message: "its result does not fit into /items/0: the state has a list at /items",
      },
    });
    const whole = open({ manifest: { into: "" } });
    const outcome = await whole.taking.takeReturned(report("rope"));
    expect(outcome.kind === "failed" && outcome.error.message).toMatch(/^its result does not fit into the state: /);
    const refused = open({ manifest: { into: "/weather", writes: ["/lamp"] } });
    expect(await refused.taking.takeReturned(report("rain"))).toMatchObject({
      kind: "failed",
      error: { category: "forbidden", message: expect.stringMatching(/^its result does not fit into \/weather: /) },
    });
    expect(refused.written).toEqual([]);
  });
});

test("[K1.9] a tool asks the player of its scene, by the clock that stands still meanwhile", async () => {
  const { taking, asked, clocks } = open();
  const question = { toolId: "l1", question: "?", reason: null, answers: [] };
  expect(await taking.port.ask(question)).toBe("yes");
  expect(asked).toEqual([question]);
  expect(taking.port.clock).toBe(clocks.attempts);
});
