/** The contracts as ajv reads them, for tests: what a tool author in any language would check against. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { contracts } from "../../../scripts/contracts.ts";

export function contractValidator(name: string): (value: unknown) => boolean {
  const text = contracts().get(`${name}.schema.json`);
  if (text === undefined) throw new Error(`no contract is called ${name}`);
  return strictValidator(JSON.parse(text) as object);
}

export function strictValidator(schema: object): (value: unknown) => boolean {
  // Strict but for three habits our schemas have on purpose: nullable types, an open-ended command, and conditions that
  // require a property declared further out.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTuples: false, strictRequired: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => validate(value);
}
