/**
 * Takes what a tool says while it runs: refuses what it may not do, stores its assets, and writes it to the log, in this
 * order. `attempt-tool.ts` makes the attempts.
 */
import type { AssetEvent, StatePatchEvent } from "@narratoria/tool/protocol";
import type { AssetRecord } from "../../story/execution-result.ts";
import { progressOf } from "../../story/log-lines.ts";
import type { AssetSource, AssetStore, TakenAsset } from "../seams/assets.ts";
import { refusedSource, takeAsset } from "../seams/assets.ts";
import type { EventWriter, PlanScene, PrintedLine } from "../seams/engine.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import type { AttemptOutcome, AttemptPort, AttemptReport, ReceivedEvent, TakeReply } from "../seams/tool-runner.ts";
import { PACE } from "./pace.ts";
import { placeResult } from "./place-result.ts";
import { refusePatch } from "./refuse-patch.ts";

/** Of all attempts of one tool. */
export interface Intake {
  /** Begins with an attempt; `span` goes into every event. */
  begin(span: Span): AttemptIntake;
}

export interface Span {
  module: string;
  request_id: string;
  span_id: string;
}

export interface AttemptIntake {
  readonly port: AttemptPort;
  /** Assets that were refused, in words. */
  readonly warnings: readonly string[];
  /** What the tool returned is its output; a mount may also want it in the state, where it may be refused. */
  takeReturned(report: AttemptReport): Promise<AttemptOutcome>;
}

export interface Speaker {
  toolId: string;
  tool: ResolvedTool;
  /** Where it is written what the tool says. */
  log: EventWriter;
}

export function createIntake({ toolId, tool, log }: Speaker, assets: AssetStore, scene: PlanScene): Intake {
  let storedBytes = 0;

  function begin(span: Span): AttemptIntake {
    const warnings: string[] = [];
    let lines: PrintedLine[] = [];
    let progress: number | null = null;

    function take(received: ReceivedEvent): TakeReply | Promise<TakeReply> {
      const { event } = received;
      if (event.type === "log") {
        // Log lines come in bulk: they are gathered, and written when there is nothing more to gather.
        lines.push({ text: received.text, event });
        progress = progressOf(event.fields) ?? progress;
        return undefined;
      }
      const resting = PACE.rest();
      return resting === undefined ? takeNow(received) : resting.then(() => takeNow(received));
    }

    function takeNow(received: ReceivedEvent): TakeReply | Promise<TakeReply> {
      const { event } = received;
      const behind = writeLines();
      if (behind instanceof Promise) return behind.then(() => takeNow(received));
      const tooMuch = scene.limits.refuse(event, received.text);
      if (tooMuch !== null) return tooMuch;
      if (event.type === "asset") return takeAsset(received, event);
      if (event.type === "state_patch") {
        const refused = refusePatch(event.patch, received.text, tool, scene.glance());
        if (refused !== null) return refused;
      }
      const written = write(received, null);
      return written instanceof Promise ? written.then(() => undefined) : undefined;
    }

    async function takeAsset(received: ReceivedEvent, event: AssetEvent): Promise<TakeReply> {
      const { assetId, kind, mediaType, metadata } = event;
      const source = received.asset ?? refusedSource("it came without its bytes", mediaType);
      const taken = await takeIfRoom(source);
      const { kind: status, ...details } = taken;
      const record = { toolId, assetId, kind, mediaType, ...(metadata && { metadata }), status, ...details };
      if (taken.kind === "refused") warnings.push(`asset ${assetId} was refused: ${taken.reason}`);
      const { id } = await write(received, record);
      if (taken.kind === "stored") {
        const data = { uri: `asset:${id}`, bytes: taken.bytes, mediaType, toolId };
        await log.emit({ event: "artifact:write", component: "runner", data, ...span });
      }
      return undefined;
    }

    function write(received: ReceivedEvent, asset: AssetRecord | null): ReturnType<EventWriter["emit"]> {
      const data = { toolId, event: received.event, ...(asset && { asset }) };
      return log.emit({ event: "tool:event", component: "runner", data, ...span });
    }

    function writeLines(): void | Promise<void> {
      if (lines.length === 0) return;
      const gathered = lines;
      const told = progress;
      lines = [];
      progress = null;
      return log.emitLines({ event: "tool:event", component: "runner", data: { toolId }, ...span }, gathered, told);
    }

    async function takeReturned({ outcome, output }: AttemptReport): Promise<AttemptOutcome> {
      const into = tool.manifest?.into ?? null;
      if (outcome.kind !== "completed" || output === undefined || into === null) return outcome;
      const placed = placeResult(into, output, scene.glance().value);
      if (placed.kind === "does_not_fit") return doesNotFit("RESULT_DOES_NOT_FIT", placed.why);
      const event: StatePatchEvent = { version: "0", type: "state_patch", patch: placed.patch };
      const refused = await take({ event, text: JSON.stringify(event), warnings: [] });
      return refused === undefined ? outcome : doesNotFit(refused.code, refused.message);

      function doesNotFit(code: string, why: string): AttemptOutcome {
        const message = `its result does not fit into ${into || "the state"}: ${why}`;
        return { kind: "failed", error: { category: "forbidden", code, message } };
      }
    }

    const port: AttemptPort = {
      take,
      flush: writeLines,
      ask: (question) => scene.player.ask(question),
      clock: scene.clocks.attempts,
    };
    return { port, warnings, takeReturned };
  }

  /** What is stored outlives the tool, so the tool's own disk limit counts here too. */
  async function takeIfRoom(source: AssetSource): Promise<TakenAsset> {
    const { diskMb } = tool.limits;
    if (storedBytes >= diskMb * 1024 * 1024)
      return { kind: "refused", reason: `the tool's assets have more than ${diskMb} MB already` };
    const taken = await takeAsset(assets, source);
    if (taken.kind === "stored") storedBytes += taken.bytes;
    return taken;
  }

  return { begin };
}
