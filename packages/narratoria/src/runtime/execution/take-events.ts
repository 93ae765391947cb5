/**
 * Takes what a tool says while it runs: refuses what it may not do, stores its assets, keeps the rest for the result, and
 * writes it to the log, in this order. `attempt-tool.ts` makes the attempts.
 */
import { Buffer } from "node:buffer";
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { AssetEvent, StatePatchEvent } from "@narratoria/tool/protocol";
import type { AssetRecord, ToolResult } from "../../story/execution-result.ts";
import { progressOf } from "../../story/log-lines.ts";
import { parsePointer } from "../../story/json-pointer.ts";
import { composePatches } from "../../story/merge-patch.ts";
import type { AssetFile, TakenAsset } from "../seams/assets.ts";
import type { ExecutionContext } from "./execute-plan.ts";
import { keepEvents } from "../../story/kept-events.ts";
import { refusePatch } from "./refuse-patch.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { redact, type Secrets } from "../policy/secrets.ts";
import type { AttemptOutcome, AttemptReport, EventSink, ReceivedEvent, SinkReply } from "../seams/tool-runner.ts";

/** Of all attempts of one tool. */
export interface Intake {
  readonly assets: AssetRecord[];
  /** Begins with an attempt: its output is its own. `about` goes into every event. */
  begin(about: object): AttemptIntake;
  /** Of the latest attempt. */
  output(): Json;
  summary(): Pick<ToolResult, "events" | "eventCount" | "eventsOmitted">;
}

export interface AttemptIntake {
  readonly sink: EventSink;
  /** Assets that were refused, in words. */
  readonly warnings: string[];
  /** What the tool returned is its output; a mount may also want it in the state, where it may be refused. */
  takeReturned(report: AttemptReport): Promise<AttemptOutcome>;
}

export function createIntake(toolId: string, tool: ResolvedTool, secrets: Secrets, context: ExecutionContext): Intake {
  const kept = keepEvents();
  const assets: AssetRecord[] = [];
  let output: Json = null;

  function begin(about: object): AttemptIntake {
    output = null;
    const warnings: string[] = [];
    const lines: { texts: string[]; progress: number | null } = { texts: [], progress: null };
    const sink: EventSink = (received) => take(redact(received, secrets));
    sink.flush = writeLines;

    function take(received: ReceivedEvent): SinkReply | Promise<SinkReply> {
      const { event } = received;
      if (event.type === "log" && context.emitLines !== undefined) {
        // Log lines come in bulk: they are gathered, and written when there is nothing more to gather.
        lines.texts.push(received.text);
        lines.progress = progressOf(event.fields) ?? lines.progress;
        kept.add(event, Buffer.byteLength(received.text));
        return undefined;
      }
      const behind = writeLines();
      if (behind instanceof Promise) return behind.then(() => take(received));
      if (event.type === "asset") return takeAsset(received, event);
      if (event.type === "state_patch") {
        const refused = refusePatch(event.patch, received.text, tool, context.sizedState());
        if (refused !== null) return refused;
        output = composePatches(isJsonObject(output) ? output : {}, event.patch);
      }
      const written = write(received, {});
      return written instanceof Promise ? written.then(() => undefined) : undefined;
    }

    async function takeAsset(received: ReceivedEvent, event: AssetEvent): Promise<SinkReply> {
      const { assetId, kind, mediaType, metadata } = event;
      const taken = await takeIfRoom({ ...(received.assetFile ?? { path: event.path, within: [] }), mediaType });
      const { kind: status, ...details } = taken;
      const record: AssetRecord = {
        toolId,
        assetId,
        kind,
        mediaType,
        ...(metadata && { metadata }),
        status,
        ...details,
      };
      assets.push(record);
      if (taken.kind === "refused") warnings.push(`asset ${assetId} was refused: ${taken.reason}`);
      await write(received, { asset: { ...record } as JsonObject });
      return undefined;
    }

    function write(received: ReceivedEvent, more: JsonObject): void | Promise<void> {
      kept.add(received.event, Buffer.byteLength(received.text));
      const data = { toolId, event: received.event as unknown as JsonObject, ...more };
      return context.emit({ event: "tool:event", component: "runner", data, ...about });
    }

    function writeLines(): void | Promise<void> {
      if (lines.texts.length === 0) return;
      const { texts, progress } = lines;
      Object.assign(lines, { texts: [], progress: null });
      return context.emitLines?.(
        { event: "tool:event", component: "runner", data: { toolId }, ...about },
        texts,
        progress,
      );
    }

    async function takeReturned({ outcome, output: returned }: AttemptReport): Promise<AttemptOutcome> {
      if (outcome.kind !== "completed" || returned === undefined) return outcome;
      const into = tool.manifest?.into ?? null;
      if (into !== null) {
        const event: StatePatchEvent = { version: "0", type: "state_patch", patch: nestAt(into, returned) };
        const refused = await take({ event, text: JSON.stringify(event), warnings: [] });
        if (refused !== undefined) return { kind: "failed", error: refused };
      }
      output = returned;
      return outcome;
    }
    return { sink, warnings, takeReturned };
  }

  /** What is stored outlives the tool, so the tool's own disk limit counts here too. */
  async function takeIfRoom(file: AssetFile): Promise<TakenAsset> {
    const { diskMb } = tool.limits;
    const stored = assets.reduce((bytes, asset) => bytes + (asset.bytes ?? 0), 0);
    if (stored < diskMb * 1024 * 1024) return context.assets.take(file);
    return { kind: "refused", reason: `the tool's assets have more than ${diskMb} MB already` };
  }

  return { assets, begin, output: () => output, summary: () => kept.summary() };
}

/** The patch that puts a value at a place in the state. */
function nestAt(pointer: string, value: Json): JsonObject {
  const tokens = parsePointer(pointer) ?? [];
  const nested = tokens.reduceRight<Json>((inner, token) => Object.fromEntries([[token, inner]]), value);
  return isJsonObject(nested) ? nested : {};
}
