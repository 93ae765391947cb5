import { describe, expect, test } from "vitest";
import { checkToolEvent, isMediaType, parseToolEvent, type EventReading } from "./protocol.ts";

const line = (fields: object): string => JSON.stringify({ version: "0", ...fields });
const codeOf = (reading: EventReading): string => (reading.kind === "violation" ? reading.code : "accepted");

const VALID = {
  log: { type: "log", level: "info", message: "Starting" },
  state_patch: { type: "state_patch", patch: { flags: { torchLit: true } } },
  asset: { type: "asset", assetId: "a1", kind: "image", mediaType: "image/png", path: "/tmp/a.png" },
  ui_event: { type: "ui_event", event: "narrative_choice" },
  error: { type: "error", errorCode: "E", errorMessage: "no" },
  done: { type: "done", ok: true },
};

describe("parseToolEvent", () => {
  test.each(Object.entries(VALID))("[T3.1] a minimal %s event is accepted", (_type, event) => {
    expect(parseToolEvent(line(event))).toEqual({ kind: "event", event: { version: "0", ...event }, warnings: [] });
  });

  test("[T3.1] unknown fields are kept, a null optional field counts as absent", () => {
    const event = { ...VALID.done, summary: null, requestId: null, timestamp: null, mood: "grim" };
    expect(parseToolEvent(line(event))).toMatchObject({ kind: "event", event: { mood: "grim" }, warnings: [] });
  });

  test("[T3.1] a bad timestamp is a warning", () => {
    const reading = parseToolEvent(line({ ...VALID.done, timestamp: "yesterday" }));
    expect(reading).toMatchObject({ kind: "event", warnings: [expect.stringContaining("yesterday")] });
  });

  test.each(["2026-01-24", "2026-01-24T10:00:00Z", "2026-01-24T10:00:00.123+02:00", "2026-01-24 10:00"])(
    "[T3.1] %s is a good timestamp",
    (timestamp) => {
      expect(parseToolEvent(line({ ...VALID.done, timestamp }))).toMatchObject({ kind: "event", warnings: [] });
    },
  );

  test.each([
    ["[1]", "NOT_AN_OBJECT"],
    ["null", "NOT_AN_OBJECT"],
    [`"text"`, "NOT_AN_OBJECT"],
    ["not json", "INVALID_JSON"],
    [`{"version":"0","type":"done","ok":true,"n":1e400}`, "INVALID_JSON"],
    [`{"version":"0","type":"log","level":"info","message":"a\u0000b"}`, "INVALID_JSON"],
    ["[".repeat(300) + "]".repeat(300), "TOO_DEEP"],
    [`{"type":"done","ok":true}`, "BAD_VERSION"],
    [`{"version":0,"type":"done","ok":true}`, "BAD_VERSION"],
    [`{"version":"1","type":"nonsense"}`, "BAD_VERSION"],
    [`{"version":"0"}`, "UNKNOWN_TYPE"],
    [`{"version":"0","type":null}`, "UNKNOWN_TYPE"],
    [`{"version":"0","type":"toString"}`, "UNKNOWN_TYPE"],
  ])("[T3.2] %s is %s", (text, code) => {
    expect(codeOf(parseToolEvent(text))).toBe(code);
  });

  test.each([
    ["log", { level: "fatal" }],
    ["log", { message: "" }],
    ["log", { fields: [] }],
    ["state_patch", { patch: null }],
    ["state_patch", { patch: [] }],
    ["asset", { assetId: "" }],
    ["asset", { kind: 7 }],
    ["asset", { mediaType: "png" }],
    ["asset", { path: undefined }],
    ["asset", { metadata: "wide" }],
    ["ui_event", { event: null }],
    ["ui_event", { payload: "x" }],
    ["error", { errorCode: "" }],
    ["error", { errorMessage: 3 }],
    ["done", { ok: "true" }],
    ["done", { summary: 1 }],
    ["done", { requestId: 1 }],
    ["done", { timestamp: 1 }],
  ] as const)("[T3.2] a %s event with %j is INVALID_EVENT", (type, change) => {
    const reading = parseToolEvent(line({ ...VALID[type], ...change }));
    expect(codeOf(reading)).toBe("INVALID_EVENT");
    expect(reading).toMatchObject({ reason: expect.stringContaining(`"${Object.keys(change)[0]}"`) });
  });

  test("[T2.3] an integer beyond 2^53 is kept with a warning; hexadecimal digits of a uuid are no number", () => {
    const big = `{"version":"0","type":"state_patch","patch":{"n":9007199254740993}}`;
    expect(parseToolEvent(big)).toMatchObject({ kind: "event", warnings: [expect.stringContaining("2^53")] });
    const uuid = line({ ...VALID.done, requestId: "550e8400-e29b-41d4-a716-446655440000" });
    expect(parseToolEvent(uuid)).toMatchObject({ kind: "event", warnings: [] });
  });

  test("[S1.2] a __proto__ key in a patch survives", () => {
    const reading = checkToolEvent(JSON.parse(`{"version":"0","type":"state_patch","patch":{"__proto__":{"x":1}}}`));
    expect(JSON.stringify(reading)).toContain(`"patch":{"__proto__":{"x":1}}`);
  });
});

test("[T4.3] media types: well-formed ones pass, malformed ones do not", () => {
  for (const good of ["image/png", "image/svg+xml", "text/plain; charset=utf-8", `a/b;c="d e"`, "model/vnd.x-y+z"]) {
    expect(isMediaType(good), good).toBe(true);
  }
  for (const bad of ["", "image", "image/", "/png", "image/png;", "image /png", "image/png\n", "a/b/c", "ä/b"]) {
    expect(isMediaType(bad), bad).toBe(false);
  }
});
