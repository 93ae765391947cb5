/**
 * A module's descriptor, which is also a mount's manifest: what it is, how it is reached, what it may do.
 * `runtime/mounts/mounts.ts` mounts what passes here; whether a command may run at all is decided there.
 */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import { z } from "zod";
import {
  findTransportProblems,
  TOOL_PROTOCOLS,
  transportRules,
  type DescriptorProblem,
  type ToolProtocol,
} from "./descriptor-transport.ts";
import { formatPointer, JSON_POINTER } from "./json-pointer.ts";
import { jsonObjectSchema } from "./json-value-schema.ts";

export const MODULE_KINDS = ["provider", "tool", "agent", "hook", "orchestrator", "context"] as const;
export type ModuleKind = (typeof MODULE_KINDS)[number];

export { TOOL_PROTOCOLS, type DescriptorProblem, type ToolProtocol };

export interface ModuleDescriptor {
  name: string;
  kind: ModuleKind;
  protocol: ToolProtocol;
  transport: Transport;
  capabilities: string[];
  version?: string;
  description?: string;
  /** namel3ss/1: `module:function`. */
  entry?: string;
  /** namel3ss/1: run it in this container. */
  container?: Container;
  /** The parts of the state it is sent and may change, as JSON pointers. */
  reads?: string[];
  writes?: string[];
  /** Where in the state its result goes, as a JSON pointer. */
  into?: string;
  /** A hook: the events it hears (`turn:end`, `tool:*`, `*`), when among others, and whether it has a say in them. */
  events?: string[];
  priority?: number;
  gate?: boolean;
  timeoutMs?: number;
  /** What is kept running between calls serves all sessions; without it each session has its own. */
  shared?: boolean;
  limits?: Limits;
  /** JSON Schemas of what it takes and gives. */
  inputs?: JsonObject;
  outputs?: JsonObject;
}

export interface Transport {
  type: "stdio" | "http";
  command?: string[];
  url?: string;
}

export interface Container {
  image: string;
  command?: string[];
  env?: { [name: string]: string };
}

export interface Limits {
  memoryMb?: number;
  processes?: number;
  cpuSeconds?: number;
  fileSizeMb?: number;
  openFiles?: number;
  /** All files it writes, together. */
  diskMb?: number;
  /** What it prints, in all. */
  outputMb?: number;
}

export type DescriptorReading =
  | { kind: "descriptor"; descriptor: ModuleDescriptor }
  | { kind: "invalid"; problems: DescriptorProblem[] };

/** Reads a descriptor, or lists everything that is wrong with it. */
export function parseDescriptor(value: unknown): DescriptorReading {
  const reading = descriptorSchema.safeParse(value);
  const problems = (reading.error?.issues ?? []).map(({ path, message }) => ({
    pointer: formatPointer(path),
    message,
  }));
  // Judged as it came, so that one wrong field does not hide another.
  if (isJsonObject(value)) problems.push(...findTransportProblems(value));
  if (reading.success && problems.length === 0) return { kind: "descriptor", descriptor: reading.data };
  return { kind: "invalid", problems };
}

const EVENT_PATTERN = /^(?:\*|[a-z]+:(?:\*|[a-z_]+))$/;
const text = z.string().min(1);
const pointer = z.string().regex(JSON_POINTER, { error: "Invalid input: expected a JSON pointer" });
const atLeastOne = z.int().min(1);
/** A larger delay makes setTimeout fire at once. */
const MAX_MILLISECONDS = 2 ** 31 - 1;

const command = z
  .array(z.string())
  .min(1)
  .refine(([program]) => program !== "", { path: [0], error: "Invalid input: expected a program" })
  .meta({ prefixItems: [{ type: "string", minLength: 1 }], description: "A program and its arguments; no shell." });

const NO_URL = "Invalid input: expected an http or https URL";
const url = z
  .string()
  .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/?#]\S*$/, { error: NO_URL, abort: true })
  .refine((text) => URL.canParse(text), { error: NO_URL });

const transportSchema = z
  .object({
    type: z.enum(["stdio", "http"]),
    command: command.nullish(),
    url: url.nullish(),
  })
  .transform(withoutAbsent);

/** Not `z.record`, which skips a key called `__proto__`. */
const environment = z
  .custom<{ [name: string]: string }>(isStringMap, { error: "Invalid input: expected strings by name" })
  .meta({ type: "object", additionalProperties: { type: "string" } });

const containerSchema = z
  .object({
    image: text,
    command: command.nullish(),
    env: environment.nullish(),
  })
  .transform(withoutAbsent);

const limitsSchema = z
  .object({
    memoryMb: atLeastOne.nullish(),
    processes: atLeastOne.nullish(),
    cpuSeconds: atLeastOne.nullish(),
    fileSizeMb: atLeastOne.nullish(),
    openFiles: atLeastOne.nullish(),
    diskMb: atLeastOne.nullish(),
    outputMb: atLeastOne.nullish(),
  })
  .transform(withoutAbsent);

export const descriptorSchema = z
  .object({
    name: text,
    kind: z.enum(MODULE_KINDS),
    protocol: z
      .enum(TOOL_PROTOCOLS)
      .nullish()
      .meta({ default: "amplifier/1" })
      .transform((protocol) => protocol ?? "amplifier/1"),
    transport: transportSchema,
    capabilities: z.array(z.string()),
    version: z.string().nullish(),
    description: z.string().nullish(),
    entry: text.nullish().describe("namel3ss/1: module:function."),
    container: containerSchema.nullish().describe("namel3ss/1: run it in this container."),
    reads: z.array(pointer).nullish().describe("The parts of the session state it is sent, as JSON pointers."),
    writes: z.array(pointer).nullish().describe("The parts of the session state it may change, as JSON pointers."),
    into: pointer.nullish().describe("Where in the session state its result goes, as a JSON pointer."),
    events: z
      .array(z.string().regex(EVENT_PATTERN, { error: "Invalid input: expected an event, tool:* or *" }))
      .nullish()
      .describe("A hook: the events it hears, such as turn:end, tool:* or *."),
    priority: z.int().nullish().describe("A hook: lower ones hear of an event earlier; 0 without it."),
    gate: z.boolean().nullish().describe("A hook: whether it is asked before things happen, rather than told of them."),
    timeoutMs: atLeastOne.max(MAX_MILLISECONDS).nullish(),
    shared: z
      .boolean()
      .nullish()
      .describe("amplifier/1, namel3ss/1: one process serves all sessions; without it each session has its own."),
    limits: limitsSchema.nullish(),
    inputs: jsonObjectSchema.nullish().describe("The JSON Schema of what it takes."),
    outputs: jsonObjectSchema.nullish().describe("The JSON Schema of what it gives."),
  })
  .meta({ allOf: transportRules() })
  .transform(withoutAbsent);

type Present<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], null | undefined> };

/** In a manifest null means absent; here an absent field is really not there, so that defaults can be spread under. */
function withoutAbsent<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isAbsent(value))) as Present<Fields>;
}

function isStringMap(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((entry) => typeof entry === "string");
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
