/**
 * The language-neutral contracts, generated from the zod schemas: the text of every file in `contracts/` but its
 * README. `write-contracts.ts` writes them; a test compares the committed files with these.
 */
import { stringify } from "yaml";
import { z } from "zod";
import { eventSchema } from "../packages/narratoria/src/story/event.ts";
import { executionResultSchema } from "../packages/narratoria/src/story/execution-result.ts";
import { descriptorSchema } from "../packages/narratoria/src/story/module-descriptor.ts";
import { planSchema } from "../packages/narratoria/src/story/plan.ts";
import { sessionPlanSchema } from "../packages/narratoria/src/story/session-plan.ts";
import { toolEventSchema } from "../packages/narratoria/src/story/tool-event-schema.ts";
import { openApiDocument } from "./tool-protocol-openapi.ts";

interface Contract {
  name: string;
  title: string;
  description: string;
  schema: z.ZodType;
}

const CONTRACTS: readonly Contract[] = [
  {
    name: "tool-event",
    title: "Narratoria tool event, version 0",
    description: "One line of a tool's standard output.",
    schema: toolEventSchema,
  },
  {
    name: "plan-json",
    title: "Narratoria plan",
    description:
      "What a narrator wants run. Beyond this schema a plan must have no cycles, no unknown or doubled tool ids, " +
      "no disabled skills, and references only to a tool's own dependencies.",
    schema: planSchema,
  },
  {
    name: "execution-result",
    title: "Narratoria execution result",
    description: "What became of a plan.",
    schema: executionResultSchema,
  },
  {
    name: "module-descriptor",
    title: "Narratoria module descriptor, version 1",
    description: "What a module is and how it is reached; also the manifest of a mounted tool.",
    schema: descriptorSchema,
  },
  {
    name: "event",
    title: "Narratoria event, version 1",
    description: "One entry of a session's log.",
    schema: eventSchema,
  },
  {
    name: "session-plan",
    title: "Narratoria session plan, version 1",
    description: "What a session is for, and what it starts with.",
    schema: sessionPlanSchema,
  },
];

/** File names in `contracts/` and what stands in them. */
export function contracts(): Map<string, string> {
  const files = new Map<string, string>();
  for (const contract of CONTRACTS) files.set(`${contract.name}.schema.json`, asJsonSchemaFile(contract));
  files.set("tool-protocol.openapi.yaml", stringify(openApiDocument(), { lineWidth: 110 }));
  return files;
}

function asJsonSchemaFile({ name, title, description, schema }: Contract): string {
  // "input": what may be sent, so defaults are optional and unknown fields allowed. "any": our JSON values are custom
  // checks, which bring their own `type` along.
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return `${JSON.stringify({ $schema, $id: `urn:narratoria:${name}`, title, description, ...rest }, null, 2)}\n`;
}
