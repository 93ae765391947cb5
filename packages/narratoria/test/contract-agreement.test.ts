/** Each contract against the code that reads the same document: for good values and damaged ones, they agree. */
import type { JsonObject } from "@narratoria/tool/json";
import { checkToolEvent, LOG_LEVELS, type EventType } from "@narratoria/tool/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { COMPONENTS, EVENT_NAMES, eventSchema } from "../src/story/event.ts";
import { MODULE_KINDS, parseDescriptor, TOOL_PROTOCOLS } from "../src/story/module-descriptor.ts";
import { parsePlan } from "../src/story/plan.ts";
import { toolEventSchema } from "../src/story/tool-event-schema.ts";
import { contractValidator } from "./contract-validators.ts";
import { damaged } from "./mutated-json.ts";

const text = fc.string({ minLength: 1 });
const object = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });

test("[T3.1] the guard, the schema and the JSON Schema take the same events", () => {
  const accepts = contractValidator("tool-event");
  const envelope = { version: fc.constant("0"), requestId: optional(fc.string()), timestamp: optional(fc.string()) };
  const mediaType = fc.constantFrom("image/png", "text/plain; charset=utf-8", 'a/b;c="d e"', "model/gltf+json");
  const event = (type: EventType, fields: { [field: string]: fc.Arbitrary<unknown> }) =>
    fc.record({ ...envelope, type: fc.constant(type), ...fields }) as fc.Arbitrary<JsonObject>;
  const events = fc.oneof(
    event("log", { level: fc.constantFrom(...LOG_LEVELS), message: text, fields: optional(object) }),
    event("state_patch", { patch: object }),
    event("asset", { assetId: text, kind: text, mediaType, path: text, metadata: optional(object) }),
    event("ui_event", { event: text, payload: optional(object) }),
    event("error", { errorCode: text, errorMessage: text, details: optional(object) }),
    event("done", { ok: fc.boolean(), summary: optional(fc.string()) }),
  );

  fc.assert(
    fc.property(events, (valid) => {
      expect(checkToolEvent(valid).kind).toBe("event");
      expect(accepts(valid)).toBe(true);
    }),
  );
  const disagreement = findDisagreement(damaged(events), accepts, (value) => [
    checkToolEvent(value).kind === "event",
    toolEventSchema.safeParse(value).success,
  ]);
  expect(disagreement).toBeNull();
});

test.each([
  "image/png",
  "image/png\n",
  "image",
  "/png",
  "image/",
  "a b/c",
  "a/b;c",
  "a/b; c=d",
  "a/b\u2028",
  "image/pñg",
])("[T4.3] the three agree about the media type %j", (mediaType) => {
  const asset = { version: "0", type: "asset", assetId: "a", kind: "image", mediaType, path: "a.png" };
  const accepted = checkToolEvent(asset).kind === "event";
  expect(toolEventSchema.safeParse(asset).success).toBe(accepted);
  expect(contractValidator("tool-event")(asset)).toBe(accepted);
});

test("[P1.2] parsePlan finds a wrong value exactly where the JSON Schema refuses the plan", () => {
  const time = fc.integer({ min: 1, max: 100_000 });
  const toolId = fc.constantFrom("a", "b", "c", "__proto__");
  const tools = fc.record(
    {
      toolId,
      toolPath: text,
      operation: optional(text),
      input: optional(object),
      dependencies: optional(fc.array(toolId, { maxLength: 2 })),
      required: optional(fc.boolean()),
      async: optional(fc.boolean()),
      retryPolicy: optional(fc.record({ maxRetries: fc.integer({ min: 0, max: 10 }), backoffMs: time })),
      timeoutMs: optional(time),
    },
    { requiredKeys: ["toolId", "toolPath"] },
  );
  const metadata = fc.record({ generationAttempt: fc.integer({ min: 1, max: 5 }), parentPlanId: optional(text) });
  const plans = fc.record(
    {
      requestId: text,
      narrative: optional(fc.string()),
      tools: fc.array(tools, { maxLength: 3 }),
      parallel: optional(fc.boolean()),
      disabledSkills: optional(fc.array(fc.string(), { maxLength: 2 })),
      metadata: optional(metadata),
      timeoutMs: optional(time),
    },
    { requiredKeys: ["requestId", "tools"] },
  ) as fc.Arbitrary<JsonObject>;

  const disagreement = findDisagreement(damaged(plans), contractValidator("plan-json"), (value) => {
    const reading = parsePlan(value);
    return [reading.kind === "plan" || reading.problems.every(({ code }) => code !== "BAD_VALUE")];
  });
  expect(disagreement).toBeNull();
});

test("[A1.1] parseDescriptor and the JSON Schema take the same descriptors", () => {
  const command = fc.constantFrom(["./run"], ["node", "a.js", ""]);
  const transports = fc.record(
    { type: fc.constantFrom("stdio", "http"), command: optional(command), url: optional(fc.constant("http://h/x")) },
    { requiredKeys: ["type"] },
  );
  const pointers = fc.array(fc.constantFrom("", "/a", "/a~1b/0"), { maxLength: 2 });
  const descriptors = fc.record(
    {
      name: text,
      kind: fc.constantFrom(...MODULE_KINDS),
      protocol: optional(fc.constantFrom(...TOOL_PROTOCOLS)),
      transport: transports,
      capabilities: fc.constantFrom([], ["net.fetch"]),
      entry: optional(fc.constant("a.b:c")),
      container: optional(fc.record({ image: text, command, env: fc.constantFrom({}, { A: "b" }) })),
      reads: optional(pointers),
      writes: optional(pointers),
      into: optional(fc.constant("/greeting")),
      timeoutMs: optional(fc.integer({ min: 1, max: 1000 })),
      limits: optional(fc.record({ memoryMb: fc.constant(64), openFiles: fc.constant(null) })),
      inputs: optional(object),
    },
    { requiredKeys: ["name", "kind", "transport", "capabilities"] },
  ) as fc.Arbitrary<JsonObject>;

  const disagreement = findDisagreement(damaged(descriptors), contractValidator("module-descriptor"), (value) => [
    parseDescriptor(value).kind === "descriptor",
  ]);
  expect(disagreement).toBeNull();
});

test("[K1.2] the event schema and its JSON Schema take the same events", () => {
  const dataKeys = ["plan", "parent", "reason", "path", "module", "event", "key", "bytes", "delta_bytes", "op"];
  const moreKeys = ["capability", "uri", "turnId", "prompt", "toolId", "attempt"];
  const data = fc.record(
    Object.fromEntries([...dataKeys, ...moreKeys].map((key) => [key, optional(fc.constantFrom("x", 0, {}))])),
    { requiredKeys: [] },
  );
  const events = fc.record(
    {
      id: text,
      ts: fc.double({ noNaN: true, noDefaultInfinity: true }),
      event: fc.constantFrom(...EVENT_NAMES),
      component: fc.constantFrom(...COMPONENTS),
      module: optional(text),
      status: optional(fc.constantFrom("ok", "error", "allow", "deny", "maybe")),
      duration_ms: optional(fc.nat()),
      data: optional(data),
      error: optional(fc.record({ code: text, message: fc.string() })),
      seq: optional(fc.nat()),
    },
    { requiredKeys: ["id", "ts", "event", "component"] },
  ) as fc.Arbitrary<JsonObject>;

  const disagreement = findDisagreement(damaged(events), contractValidator("event"), (value) => [
    eventSchema.safeParse(value).success,
  ]);
  expect(disagreement).toBeNull();
});

/** The smallest value found that one side takes and another refuses; null when they agree about all. */
function findDisagreement(
  values: fc.Arbitrary<unknown>,
  contractAccepts: (value: unknown) => boolean,
  codeAccepts: (value: unknown) => boolean[],
): unknown {
  const verdicts = new Set<boolean>();
  const property = fc.property(values, (value) => {
    const accepted = contractAccepts(value);
    verdicts.add(accepted);
    return codeAccepts(value).every((verdict) => verdict === accepted);
  });
  const { counterexample } = fc.check(property, { numRuns: 1000 });
  if (counterexample !== null) return { disagreement: counterexample };
  return verdicts.size === 2 ? null : "nothing was compared: every verdict was the same";
}
