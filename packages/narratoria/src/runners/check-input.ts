/**
 * Holds a plan's input against the JSON Schema that a module gave for it. A schema is as little trusted as its module:
 * an expensive one is stopped, and one that makes no sense is left out.
 */
import { createContext, Script } from "node:vm";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonObject } from "@narratoria/tool/json";

export type InputCheck =
  | { kind: "fine" }
  | { kind: "wrong"; problems: InputProblem[] }
  | { kind: "unusable"; reason: string };

export interface InputProblem {
  pointer: string;
  message: string;
}

/** Reads a schema once, for all calls to come. */
export function prepareInputCheck(schema: JsonObject): (input: JsonObject) => InputCheck {
  const { $schema: _, $id: __, ...rules } = schema;
  // Unknown keywords and formats say nothing; a schema of another draft is read as well as may be.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    allErrors: true,
    logger: false,
  });
  let validate: ValidateFunction | null = null;
  return (input) => {
    try {
      return within(() => {
        if (saysAsync(rules)) return { kind: "unusable", reason: "it says $async, and an input is checked at once" };
        validate ??= ajv.compile(rules);
        if (validate(input)) return { kind: "fine" };
        const errors = validate.errors ?? [];
        return {
          kind: "wrong",
          problems: errors.slice(0, MOST_PROBLEMS).map(({ instancePath, message = "is wrong", params }) => ({
            pointer: instancePath,
            message: "additionalProperty" in params ? `${message}: ${String(params["additionalProperty"])}` : message,
          })),
        };
      });
    } catch (error) {
      return { kind: "unusable", reason: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** Such a schema is checked by a promise, whose rejection nobody would hear: it would end the host. */
function saysAsync(schema: JsonObject): boolean {
  return JSON.stringify(schema).includes('"$async":');
}

const MOST_PROBLEMS = 20;
const LIMIT_MS = 250;
const callWork = new Script("work()");
const sandbox = createContext({ work: (): unknown => undefined });

/** A pattern can take for ever on the right text. The only way to interrupt it from here is a script's time limit. */
function within<T>(work: () => T): T {
  let result: T | undefined;
  sandbox["work"] = () => {
    result = work();
  };
  callWork.runInContext(sandbox, { timeout: LIMIT_MS });
  return result as T;
}
