/** The events of the tool protocol as a grammar: valid ones of every kind, with few ids so that they meet. */
import type { Json, JsonObject } from "@narratoria/tool/json";
import { LOG_LEVELS, type EventType } from "@narratoria/tool/protocol";
import fc from "fast-check";
import { hostileText } from "./hostile-pieces.ts";

const text = hostileText.map((words) => words || "x");
const object = fc.dictionary(
  fc.oneof(fc.string({ maxLength: 5 }), fc.constant("__proto__")),
  fc.jsonValue({ maxDepth: 2 }),
  {
    maxKeys: 4,
  },
) as fc.Arbitrary<JsonObject>;
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });

const envelope = {
  version: fc.constant("0"),
  requestId: optional(fc.constantFrom("r", "another")),
  timestamp: optional(fc.constantFrom("2026-11-17T10:00:00Z", "2026-11-17", "yesterday", "")),
};

function event(type: EventType, fields: { [field: string]: fc.Arbitrary<Json> }): fc.Arbitrary<JsonObject> {
  return fc.record({ ...envelope, type: fc.constant(type), ...fields });
}

const id = fc.constantFrom("a", "b", "c", "constructor", "__proto__");
const mediaType = fc.constantFrom("image/png", "text/plain; charset=utf-8", 'a/b;c="d e"', "model/gltf+json");

export const TOOL_EVENTS: fc.Arbitrary<JsonObject> = fc.oneof(
  event("log", { level: fc.constantFrom(...LOG_LEVELS), message: text, fields: optional(object) }),
  event("state_patch", { patch: object }),
  event("asset", { assetId: id, kind: text, mediaType, path: text, metadata: optional(object) }),
  event("ui_event", { event: text, payload: optional(object) }),
  event("error", { errorCode: text, errorMessage: text, details: optional(object) }),
  event("done", { ok: fc.boolean(), summary: optional(fc.string({ maxLength: 9 })) }),
);
