/**
 * What a descriptor's protocol and its transport demand of each other: a command or a url, never both, and what each
 * protocol needs besides. `module-descriptor.ts` checks everything else.
 */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";

export const TOOL_PROTOCOLS = ["narratoria/0", "namel3ss/1", "amplifier/1", "mcp"] as const;
export type ToolProtocol = (typeof TOOL_PROTOCOLS)[number];

export interface DescriptorProblem {
  /** Where in the descriptor, as an RFC 6901 pointer. */
  pointer: string;
  message: string;
}

export function findTransportProblems({ protocol, transport, entry, container }: JsonObject): DescriptorProblem[] {
  const problems: DescriptorProblem[] = [];
  const refuse = (pointer: string, message: string) => problems.push({ pointer, message });
  if (protocol === "namel3ss/1" && isAbsent(entry)) refuse("/entry", "namel3ss/1 needs it");
  if (protocol !== "namel3ss/1" && !isAbsent(container)) refuse("/container", "only namel3ss/1 runs in a container");
  if (!isJsonObject(transport)) return problems;
  const { type, command, url } = transport;
  if (type === "http") {
    if (protocol === "narratoria/0") refuse("/transport/type", "narratoria/0 needs stdio");
    if (isAbsent(url)) refuse("/transport/url", "http needs it");
    if (!isAbsent(command)) refuse("/transport/command", "http takes a url, no command");
  } else if (type === "stdio") {
    if (protocol !== "namel3ss/1" && isAbsent(command)) refuse("/transport/command", "stdio needs it");
    if (!isAbsent(url)) refuse("/transport/url", "stdio takes a command, no url");
  }
  return problems;
}

/** The same demands as JSON Schema, for readers in other languages; a property test holds the two together. */
export function transportRules(): object[] {
  const present = { not: { type: "null" } };
  const absent = { type: "null" };
  const transport = (properties: object, required: string[] = []) => ({
    properties: { transport: { type: "object", properties, required } },
    required: ["transport"],
  });
  const http = transport({ type: { const: "http" } }, ["type"]);
  const stdio = transport({ type: { const: "stdio" } }, ["type"]);
  const speaks = (protocol: ToolProtocol) => ({
    properties: { protocol: { const: protocol } },
    required: ["protocol"],
  });
  return [
    { if: http, then: transport({ url: present, command: absent }, ["url"]) },
    { if: stdio, then: transport({ url: absent }) },
    { if: speaks("narratoria/0"), then: stdio },
    {
      if: speaks("namel3ss/1"),
      then: { properties: { entry: present }, required: ["entry"] },
      else: {
        properties: { container: absent },
        if: stdio,
        then: transport({ command: present }, ["command"]),
      },
    },
  ];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
