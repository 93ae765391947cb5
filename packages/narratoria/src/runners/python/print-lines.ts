/** What a Python tool prints becomes log lines, whatever it is: prints never decide about a call. */
import type { LogEvent } from "@narratoria/tool/protocol";
import { createLineSplitter, type Frame } from "@narratoria/tool/ndjson";
import type { ReceivedEvent } from "../../runtime/seams/tool-runner.ts";

const MAX_LINE_BYTES = 64 * 1024;

export interface PrintLines {
  push(chunk: Uint8Array): ReceivedEvent[];
  end(): ReceivedEvent[];
}

export function createPrintLines(): PrintLines {
  const splitter = createLineSplitter({ maxLineBytes: MAX_LINE_BYTES });
  return {
    push: (chunk) => splitter.push(chunk).map(toLogEvent),
    end: () => splitter.end().map(toLogEvent),
  };
}

/** Of a line that is too long or no text the beginning is kept. */
function toLogEvent(frame: Frame): ReceivedEvent {
  const message = frame.kind === "line" ? frame.text : `${frame.excerpt} [${frame.reason}]`;
  const event: LogEvent = { version: "0", type: "log", level: "info", message };
  return { event, text: JSON.stringify(event), warnings: [] };
}
