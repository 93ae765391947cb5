import { describe, expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import {
  type DescriptorProblem,
  type descriptorSchema,
  parseDescriptor,
  type ModuleDescriptor,
} from "./module-descriptor.ts";

test("the type and the schema are the same", () => {
  expectTypeOf<z.output<typeof descriptorSchema>>().toEqualTypeOf<ModuleDescriptor>();
});

const weather = {
  name: "weather",
  version: "2.1.0",
  kind: "tool",
  protocol: "amplifier/1",
  transport: { type: "stdio", command: ["node", "weather.js"] },
  capabilities: [],
};

describe("[A1.1] descriptors that pass", () => {
  const stdio = { type: "stdio" };
  const http = { type: "http", url: "http://127.0.0.1:9000/run" };
  test.each([
    ["a module over stdio", weather],
    ["a module over http", { ...weather, transport: http }],
    ["an MCP server", { ...weather, kind: "provider", protocol: "mcp" }],
    [
      "a tool with everything",
      {
        ...weather,
        protocol: "narratoria/0",
        description: "Lights torches.",
        reads: ["/inventory", ""],
        writes: ["/inventory/a~1b"],
        timeoutMs: 5000,
        limits: { memoryMb: 256, processes: 8, cpuSeconds: 2, fileSizeMb: 1, openFiles: 64, diskMb: 1, outputMb: 1 },
        inputs: { type: "object" },
        outputs: {},
      },
    ],
    [
      "a hook",
      {
        ...weather,
        kind: "hook",
        events: ["*", "tool:*", "turn:end", "session:context_set"],
        priority: -1,
        gate: false,
        timeoutMs: 2 ** 31 - 1,
      },
    ],
    ["a service with TLS", { ...weather, transport: { type: "http", url: "https://example.org/run" } }],
    ["the least of everything", { ...weather, timeoutMs: 1, limits: { memoryMb: 1 } }],
    ["an argument that is empty", { ...weather, transport: { type: "stdio", command: ["run", ""] } }],
    ["a Python function", { ...weather, protocol: "namel3ss/1", entry: "a.b:c", transport: stdio, into: "/greeting" }],
    ["a Python service", { ...weather, protocol: "namel3ss/1", entry: "a.b:c", transport: http }],
    [
      "a Python container",
      {
        ...weather,
        protocol: "namel3ss/1",
        entry: "a.b:c",
        transport: stdio,
        container: { image: "greeter:1", command: ["python3", "-m", "runner"], env: { LANG: "C" } },
      },
    ],
  ])("%s", (_, descriptor) => {
    expect(parseDescriptor(descriptor)).toEqual({ kind: "descriptor", descriptor });
  });

  test("without a protocol it is a module; null means absent; unknown fields are dropped", () => {
    const { protocol: _, ...plain } = weather;
    const noisy = { ...plain, entry: null, into: undefined, limits: { memoryMb: 1, processes: null }, colour: "red" };
    const descriptor = { ...weather, limits: { memoryMb: 1 } };
    expect(parseDescriptor(noisy)).toStrictEqual({ kind: "descriptor", descriptor });
  });
});

describe("[A1.1] descriptors that are refused", () => {
  const { capabilities: _, ...withoutCapabilities } = weather;
  const command = ["./run"];
  const url = "http://localhost/";
  const namel3ss = { ...weather, protocol: "namel3ss/1", entry: "a:b" };
  test.each([
    ["no object", null, [""]],
    ["no capabilities", withoutCapabilities, ["/capabilities"]],
    ["a bad kind", { ...weather, kind: "gadget" }, ["/kind"]],
    ["an unknown protocol", { ...weather, protocol: "grpc" }, ["/protocol"]],
    ["stdio without a command", { ...weather, transport: { type: "stdio" } }, ["/transport/command"]],
    ["an empty command", { ...weather, transport: { type: "stdio", command: [] } }, ["/transport/command"]],
    ["an empty program", { ...weather, transport: { type: "stdio", command: [""] } }, ["/transport/command/0"]],
    ["stdio with a url", { ...weather, transport: { type: "stdio", command, url } }, ["/transport/url"]],
    ["http without a url", { ...weather, transport: { type: "http" } }, ["/transport/url"]],
    ["http with a command", { ...weather, transport: { type: "http", command, url } }, ["/transport/command"]],
    ["MCP without a command", { ...weather, protocol: "mcp", transport: { type: "stdio" } }, ["/transport/command"]],
    [
      "narratoria/0 over http",
      { ...weather, protocol: "narratoria/0", transport: { type: "http", url } },
      ["/transport/type"],
    ],
    ["namel3ss/1 without an entry", { ...namel3ss, entry: undefined }, ["/entry"]],
    [
      "a file as the service",
      { ...namel3ss, transport: { type: "http", url: "file:///etc/passwd" } },
      ["/transport/url"],
    ],
    ["no URL at all", { ...namel3ss, transport: { type: "http", url: "notaurl" } }, ["/transport/url"]],
    ["half a URL", { ...namel3ss, transport: { type: "http", url: "http://[" } }, ["/transport/url"]],
    ["reads that are no pointers", { ...weather, reads: ["inventory"] }, ["/reads/0"]],
    ["writes that are no pointers", { ...weather, writes: ["/a~"] }, ["/writes/0"]],
    ["no time at all", { ...weather, timeoutMs: 0 }, ["/timeoutMs"]],
    ["a time setTimeout cannot take", { ...weather, timeoutMs: 2 ** 31 }, ["/timeoutMs"]],
    [
      "limits of nothing",
      {
        ...weather,
        limits: { memoryMb: 0, processes: 0, cpuSeconds: 0, fileSizeMb: 0, openFiles: 0, diskMb: 0, outputMb: 0 },
      },
      ["memoryMb", "processes", "cpuSeconds", "fileSizeMb", "openFiles", "diskMb", "outputMb"].map(
        (name) => `/limits/${name}`,
      ),
    ],
    ["half a priority", { ...weather, priority: 0.5 }, ["/priority"]],
    ["an entry of nothing", { ...namel3ss, entry: "" }, ["/entry"]],
    ["a place that is no pointer", { ...weather, into: "greeting" }, ["/into"]],
    ["a container for what runs in none", { ...weather, container: { image: "a" } }, ["/container"]],
    ["a container without a name", { ...namel3ss, container: { image: "" } }, ["/container/image"]],
    ["an environment that is a list", { ...namel3ss, container: { image: "a", env: ["A"] } }, ["/container/env"]],
    ["a schema that is a list", { ...weather, inputs: [], outputs: [] }, ["/inputs", "/outputs"]],
    ["no transport", { ...weather, transport: null }, ["/transport"]],
    ["an unknown transport", { ...weather, transport: { type: "pipe", url } }, ["/transport/type"]],
    [
      "an environment with a number",
      { ...namel3ss, container: { image: "a", env: { A: "", B: 1 } } },
      ["/container/env"],
    ],
    ["an environment of numbers", { ...namel3ss, container: { image: "a", env: { A: 1 } } }, ["/container/env"]],
    [
      "several faults",
      { name: "", protocol: "namel3ss/1", transport: { type: "http" } },
      ["/name", "/kind", "/capabilities", "/entry", "/transport/url"],
    ],
  ])("%s", (_name, descriptor, pointers) => {
    expect(problemsOf(descriptor).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test.each(["", "turn", "turn:", ":end", "turn:*end", "Turn:end", "turn:end2", "**", "a turn:end", "turn:end, *"])(
    "an event called %j",
    (event) => expect(problemsOf({ ...weather, events: [event] }).map(({ pointer }) => pointer)).toEqual(["/events/0"]),
  );

  test("what zod does not say by itself is said in words", () => {
    const transport = { type: "stdio", command: [""] };
    const container = { image: "a", env: { A: 1 } };
    const wrong = { ...weather, transport, container, reads: ["a"], events: ["a"], inputs: 1 };
    expect(problemsOf(wrong)).toEqual([
      { pointer: "/transport/command/0", message: "Invalid input: expected a program" },
      { pointer: "/container/env", message: "Invalid input: expected strings by name" },
      { pointer: "/reads/0", message: "Invalid input: expected a JSON pointer" },
      { pointer: "/events/0", message: "Invalid input: expected an event, tool:* or *" },
      { pointer: "/inputs", message: "Invalid input: expected object" },
      { pointer: "/container", message: "only namel3ss/1 runs in a container" },
    ]);
    for (const url of ["ftp://a", "http://["]) {
      expect(problemsOf({ ...weather, transport: { type: "http", url } })).toEqual([
        { pointer: "/transport/url", message: "Invalid input: expected an http or https URL" },
      ]);
    }
  });

  test("what protocol and transport demand of each other is said in words", () => {
    const http = { type: "http", url };
    expect(problemsOf({ ...weather, protocol: "narratoria/0", transport: { ...http, command } })).toEqual([
      { pointer: "/transport/type", message: "narratoria/0 needs stdio" },
      { pointer: "/transport/command", message: "http takes a url, no command" },
    ]);
    expect(problemsOf({ ...namel3ss, entry: null, transport: { type: "http" } })).toEqual([
      { pointer: "/entry", message: "namel3ss/1 needs it" },
      { pointer: "/transport/url", message: "http needs it" },
    ]);
    expect(problemsOf({ ...weather, transport: { type: "stdio", url } })).toEqual([
      { pointer: "/transport/command", message: "stdio needs it" },
      { pointer: "/transport/url", message: "stdio takes a command, no url" },
    ]);
  });

  function problemsOf(descriptor: unknown): DescriptorProblem[] {
    const reading = parseDescriptor(descriptor);
    return reading.kind === "invalid" ? reading.problems : [];
  }
});
