/** The lines of a session file: what each kind carries, and how one is read. `session-file.ts` writes them. */
import { isJsonObject, readJson } from "@narratoria/tool/json";
import { z } from "zod";
import { eventSchema, lineEnvelopeSchema, type LineEnvelope, type NarratoriaEvent } from "../../story/event.ts";

export const FORMAT = "narratoria-session";
export const FORMAT_VERSION = 1;

export type FileLine =
  | { kind: "header"; format: string; version: number; sessionId: string; title: string; story: string }
  | FileRecord
  /** The bytes of one asset follow as chunks. */
  | { kind: "asset"; sha256: string }
  | { kind: "chunk"; base64: string };

/** What a session's log is made of, without numbers. */
export type FileRecord =
  | { kind: "event"; event: NarratoriaEvent }
  | { kind: "lines"; first: LineEnvelope; number: number; lines: readonly string[]; progress: number | null };

const isEvent = fitting<NarratoriaEvent>(eventSchema);
const isEnvelope = fitting<LineEnvelope>(lineEnvelopeSchema);

const header = z.object({ kind: z.literal("header"), format: z.string(), version: z.number() });
const lines = z.object({
  kind: z.literal("lines"),
  number: z.int().min(0),
  lines: z.array(z.string()).min(1),
  progress: z.number().nullable(),
});
/** A hash becomes a file's name. */
const SHA256 = /^[0-9a-f]{64}$/;

export type LineReading = { kind: "line"; line: FileLine } | { kind: "wrong"; message: string };

/** Every part of a line is held against what it should be; an event is kept as it stands, unknown fields and all. */
export function readLine(text: string): LineReading {
  const reading = readJson(text);
  if (reading.kind !== "value" || !isJsonObject(reading.value)) return DAMAGED;
  const { value } = reading;
  switch (value["kind"]) {
    case "header": {
      const { data } = header.safeParse(value);
      return data === undefined ? DAMAGED : line({ ...NOBODY, ...data });
    }
    case "event":
      return isEvent(value["event"])
        ? line({ kind: "event", event: value["event"] })
        : contradicts("an event that is none of ours");
    case "lines": {
      const { data } = lines.safeParse(value);
      if (data === undefined) return contradicts("log lines that are none");
      return isEnvelope(value["first"])
        ? line({ ...data, first: value["first"] })
        : contradicts("log lines of no attempt");
    }
    case "asset": {
      const { sha256 } = value;
      if (typeof sha256 !== "string" || !SHA256.test(sha256)) return wrong("the file names an asset wrongly");
      return line({ kind: "asset", sha256 });
    }
    case "chunk": {
      const { base64 } = value;
      return typeof base64 === "string" ? line({ kind: "chunk", base64 }) : DAMAGED;
    }
    default:
      return contradicts("a line of an unknown kind");
  }
}

/**
 * The last line, in a frame that zstd's own tools skip. It cannot be inside the compression: unpacking forgives a
 * changed or missing byte at the end.
 */
export function sealOf(sha256: string): Buffer {
  const end = Buffer.from(`${JSON.stringify({ kind: "end", sha256 })}\n`);
  const frame = Buffer.alloc(8);
  frame.writeUInt32LE(0x184d2a50, 0);
  frame.writeUInt32LE(end.length, 4);
  return Buffer.concat([frame, end]);
}

export function assetHashOf(event: NarratoriaEvent): string | null {
  return event.event === "tool:event" ? (event.data.asset?.sha256 ?? null) : null;
}

/** Nobody reads these of a header: they are for people who look into a file. */
const NOBODY = { sessionId: "", title: "", story: "" };
const DAMAGED = wrong("the file is damaged");

function contradicts(problem: string): LineReading {
  return wrong(`the file contradicts itself: ${problem}`);
}

function wrong(message: string): LineReading {
  return { kind: "wrong", message };
}

function line(read: FileLine): LineReading {
  return { kind: "line", line: read };
}

function fitting<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  return (value): value is T => schema.safeParse(value).success;
}
