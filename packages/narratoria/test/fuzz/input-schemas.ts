/** The JSON Schemas that modules and manifests give for their inputs: read and matched in a process, whatever they say. */
import { isJsonObject, readJson, type Json, type JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import { prepareInputCheck, type InputCheck } from "../../src/runners/check-input.ts";
import { storyProcesses } from "../../src/runtime/mounts/story-processes.ts";
import { damaged } from "../mutated-json.ts";
import { hostileText } from "./hostile-pieces.ts";
import { sometimesSpoiled, spoiled } from "./mutate-bytes.ts";
import { must, mustBeSame, mustBeWords, type FuzzTarget } from "./target.ts";

const never = new AbortController().signal;
const name = fc.oneof(fc.constantFrom("city", "days", "__proto__", "constructor"), hostileText);
const pattern = fc.constantFrom("^[a-z]+$", "^(a+)+$", "(", "\\p{L}", "^(?<x>a)\\k<x>$", "[", "a{1,99999}");
const rule: fc.Arbitrary<JsonObject> = fc.letrec<{ rule: JsonObject }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3, depthIdentifier: "rule" },
    fc.constantFrom({ type: "string" }, { type: "integer", minimum: 1 }, { enum: [1, "a", null] }, {}),
    fc.record({ pattern }),
    fc.constantFrom({ $ref: "#" }, { $ref: "#/$defs/a" }, { $ref: "http://h/x" }, { $dynamicRef: "#a" }),
    fc.record({ properties: fc.dictionary(name, tie("rule"), { maxKeys: 3 }), required: fc.array(name) }),
    fc.record({ patternProperties: fc.dictionary(pattern, tie("rule"), { maxKeys: 2 }) }),
    fc.record({ items: tie("rule"), uniqueItems: fc.boolean() }),
    fc.record({ anyOf: fc.array(tie("rule"), { maxLength: 3 }), not: tie("rule") }),
    fc.record({ $defs: fc.record({ a: tie("rule") }), unevaluatedProperties: fc.boolean(), if: tie("rule") }),
  ) as fc.Arbitrary<JsonObject>,
})).rule;
const cases = fc
  .record({
    schema: damaged(rule),
    input: fc.oneof(fc.dictionary(name, fc.jsonValue()), fc.constant({ city: "aaa!" })),
  })
  .map((value) => Buffer.from(JSON.stringify(value)));
const SEEDS = [
  '{"schema":{"type":"object","properties":{"city":{"type":"string","minLength":1},"days":{"type":"integer"}},"required":["city"]},"input":{"city":1}}',
  '{"schema":{"$async":true,"$id":"a","definitions":{"x":{"$ref":"#/definitions/x"}},"$ref":"#/definitions/x"},"input":{}}',
  '{"schema":{"allOf":[{"pattern":"^(a|aa)+$"}],"default":{},"format":"email","discriminator":{"propertyName":"a"}},"input":{"a":[]}}',
];

export const inputSchemas: FuzzTarget = {
  few: 300,
  open: async () => ({
    inputs: fc.oneof({ weight: 3, arbitrary: sometimesSpoiled(cases) }, spoiled(SEEDS, 4_000)),
    try: (input) => tryCase(readJson(input.toString("utf8"))),
    close: async () => storyProcesses.close(),
  }),
};

async function tryCase(reading: ReturnType<typeof readJson>): Promise<string> {
  const value: Json = reading.kind === "value" ? reading.value : null;
  if (!isJsonObject(value) || !isJsonObject(value["schema"]) || !isJsonObject(value["input"])) return "no case";
  const check = prepareInputCheck(value["schema"], "a story");
  const found = await check(value["input"], never);
  if (found.kind === "unusable") {
    mustBeWords(found.reason, "why a schema is unusable");
    return `unusable: ${found.reason.slice(0, 20)}`;
  }
  mustBeSame(await check(value["input"], never), found, "what is said of an input and what is said of it again");
  return found.kind === "fine" ? "fine" : checkProblems(found);
}

function checkProblems({ problems }: Extract<InputCheck, { kind: "wrong" }>): string {
  must(problems.length > 0 && problems.length <= 20, `${problems.length} problems`);
  for (const { pointer, message } of problems) {
    mustBeWords(message, "a problem of an input");
    must(pointer === "" || pointer.startsWith("/"), "a pointer that points nowhere");
    must(pointer.length + message.length <= 2_000, "more words than anybody reads");
  }
  return `wrong: ${problems[0]?.message.slice(0, 20)}`;
}
