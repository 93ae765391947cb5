/** JSON values as zod schemas, for the contracts' open-ended fields; every `*Schema` beside this file uses them. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { z } from "zod";

/** Handed on as it is: `z.record` would rebuild the object and silently drop a `__proto__` key. */
export const jsonObjectSchema = z
  .custom<JsonObject>(isJsonObject, { error: "Invalid input: expected object" })
  .meta({ type: "object" });

/** Anything JSON can say. What came out of a JSON parser needs no second walk. */
export const jsonSchema = z.custom<Json>((value) => value !== undefined, { error: "Invalid input: expected a value" });
