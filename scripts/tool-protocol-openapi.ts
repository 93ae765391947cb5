/**
 * The tool protocol as an OpenAPI 3.1 document. A tool is a process, not a server: the one path stands for one
 * invocation, stdin as its request and stdout as its response. `contracts.ts` writes it down as YAML.
 */
import { z } from "zod";
import {
  assetEventSchema,
  doneEventSchema,
  errorEventSchema,
  logEventSchema,
  statePatchEventSchema,
  toolEventSchema,
  uiEventSchema,
} from "../packages/narratoria/src/story/tool-event-schema.ts";
import { toolInputSchema } from "../packages/narratoria/src/story/tool-input-schema.ts";

export function openApiDocument(): object {
  return {
    openapi: "3.1.0",
    info: {
      title: "Narratoria tool protocol",
      version: "0",
      summary: "One process an invocation: a line of JSON in, lines of JSON out.",
      description: lines(
        "A tool is any executable. Narratoria starts it once for every invocation, writes one line of JSON to its",
        "standard input, and reads events from its standard output, one JSON object a line, in UTF-8, each as it",
        "arrives. Standard error is free text. The path below stands for one such invocation; no network is involved.",
      ),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "stdio:", description: "Standard input and output of the tool's process." }],
    paths: { "/invocation": { post: INVOCATION } },
    components: { schemas: componentSchemas() },
  };
}

const INVOCATION = {
  operationId: "invoke",
  summary: "Run the tool once",
  description: lines(
    "The invocation succeeds when the tool prints `done` with `ok: true` and exits with code 0. A line that is no",
    "valid event ends it at once; what was accepted before stays in force. Another exit code is a failure whatever",
    "`done` said, and so is exiting without `done`. What is printed after `done` is ignored.",
  ),
  requestBody: {
    description: "Standard input: one line, then end-of-file.",
    content: {
      "application/json": {
        schema: ref("ToolInput"),
        example: {
          requestId: "6f1c0a52-3c1e-4f0e-9d55-1f7f3f0f8a11",
          tool: "torch-lighter",
          operation: "run",
          input: { action: "light_torch" },
          context: { dependencies: {}, state: { inventory: { torch: { lit: false } } } },
        },
      },
    },
  },
  responses: {
    default: {
      description: "Standard output: any number of events, the last of them `done`. The schema is that of one line.",
      content: {
        "application/x-ndjson": {
          schema: ref("ToolEvent"),
          examples: {
            log: { value: { version: "0", type: "log", level: "info", message: "Striking the flint" } },
            state_patch: {
              value: { version: "0", type: "state_patch", patch: { inventory: { torch: { lit: true } } } },
            },
            done: { value: { version: "0", type: "done", ok: true, summary: "The torch burns." } },
          },
        },
      },
    },
  },
};

function componentSchemas(): object {
  const named = z.registry<{ id: string }>();
  named.add(logEventSchema, { id: "LogEvent" });
  named.add(statePatchEventSchema, { id: "StatePatchEvent" });
  named.add(assetEventSchema, { id: "AssetEvent" });
  named.add(uiEventSchema, { id: "UiEvent" });
  named.add(errorEventSchema, { id: "ErrorEvent" });
  named.add(doneEventSchema, { id: "DoneEvent" });
  named.add(toolEventSchema, { id: "ToolEvent" });
  named.add(toolInputSchema, { id: "ToolInput" });
  const { schemas } = z.toJSONSchema(named, { io: "input", unrepresentable: "any", uri: (id) => ref(id).$ref });
  return Object.fromEntries(
    // Inside an OpenAPI document a schema is named by its place, and its dialect is the document's.
    Object.entries(schemas).map(([name, { $id: _id, $schema: _dialect, ...schema }]) => [name, schema]),
  );
}

function ref(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

function lines(...parts: string[]): string {
  return parts.join(" ");
}
