/** What a story's process does for `check-input.ts`: it reads a schema, once for all calls to come, and checks an input. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonObject } from "@narratoria/tool/json";
import type { InputCheck, InputToCheck } from "./check-input.ts";

type Prepared = { kind: "prepared"; validate: ValidateFunction } | Extract<InputCheck, { kind: "unusable" }>;

const MOST_PROBLEMS = 20;
const MOST_WORDS = 1_000;

export function checkInput({ schema, input }: InputToCheck): InputCheck {
  const prepared = prepareOnce(schema);
  if (prepared.kind === "unusable") return prepared;
  const { validate } = prepared;
  if (validate(input)) return { kind: "fine" };
  const errors = validate.errors ?? [];
  return {
    kind: "wrong",
    problems: errors.slice(0, MOST_PROBLEMS).map(({ instancePath, message = "is wrong", params }) => ({
      pointer: instancePath.slice(0, MOST_WORDS),
      message: ("additionalProperty" in params ? `${message}: ${String(params["additionalProperty"])}` : message).slice(
        0,
        MOST_WORDS,
      ),
    })),
  };
}

const known = new Map<string, Prepared>();
const MOST_KNOWN = 100;
/** What is kept of larger ones would fill the process. */
const MOST_KEPT_CHARACTERS = 64 * 1024;

function prepareOnce(schema: string): Prepared {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const prepared = prepare(schema);
  const [oldest] = known.keys();
  if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  if (schema.length <= MOST_KEPT_CHARACTERS) known.set(schema, prepared);
  return prepared;
}

function prepare(schema: string): Prepared {
  // Such a schema is checked by a promise, whose rejection nobody would hear: it would end the process.
  if (schema.includes('"$async":'))
    return { kind: "unusable", reason: "it says $async, and an input is checked at once" };
  const { $schema: _, $id: __, ...rules } = JSON.parse(schema) as JsonObject;
  // Unknown keywords and formats say nothing; a schema of another draft is read as well as may be.
  const lenient = { strict: false, validateFormats: false, validateSchema: false, logger: false } as const;
  try {
    return { kind: "prepared", validate: new Ajv2020({ ...lenient, allErrors: true }).compile(rules) };
  } catch (error) {
    return { kind: "unusable", reason: (error as Error).message.slice(0, MOST_WORDS) };
  }
}
