/** The files in `contracts/`: fresh, strict, and true. `contract-agreement.test.ts` holds them against the code. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { contracts } from "../../../scripts/contracts.ts";
import { contractValidator, strictValidator } from "./contract-validators.ts";

const folder = join(import.meta.dirname, "../../../contracts");
const log = { version: "0", type: "log", level: "info", message: "Striking the flint" };

describe("the committed files", () => {
  test.each([...contracts()])("contracts/%s is what `npm run contracts` writes", (name, text) => {
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
  });

  test("there are no others, and the README has a line for each", () => {
    const names = [...contracts().keys()].toSorted();
    expect(readdirSync(folder).toSorted()).toEqual(["README.md", ...names].toSorted());
    const listed = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/^- `([^`]+)`:/gm)];
    expect(listed.map((match) => match[1] ?? "").toSorted()).toEqual(names);
  });

  test("each schema names itself and says what it is", () => {
    for (const [file, text] of contracts()) {
      if (!file.endsWith(".json")) continue;
      expect(JSON.parse(text)).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: `urn:narratoria:${file.replace(".schema.json", "")}`,
        title: expect.stringMatching(/^Narratoria /),
        description: expect.any(String),
      });
    }
  });
});

describe("what the schemas take and refuse, in strict mode", () => {
  const tool = { toolId: "light1", toolPath: "tools/torch-lighter" };
  const attempt = {
    requestId: "r1",
    startedAt: "2026-01-24T10:00:00.000Z",
    endedAt: "2026-01-24T10:00:01.000Z",
    outcome: "failed",
    exitCode: 3,
    signal: null,
    stderrTail: "",
    errorDetail: { code: "EXIT_NONZERO", category: "process_error", message: "exit code 3" },
    warnings: [],
    eventsAfterDone: 0,
    sandbox: "full",
    trace: {},
  };
  const toolResult = {
    toolId: "light1",
    skill: "torch-lighter",
    ok: false,
    state: "failed",
    output: null,
    executionTime: 1000,
    retryCount: 0,
    error: "exit code 3",
    errorDetail: attempt.errorDetail,
    events: [log],
    eventCount: 1,
    eventsOmitted: 0,
    attempts: [attempt],
  };
  const result = {
    planId: "p1",
    success: false,
    narrative: "You reach for the torch.",
    executionTime: 1000.5,
    toolResults: [toolResult],
    failedTools: ["light1"],
    generationAttempt: 1,
    canReplan: true,
    disabledSkills: [],
    aggregatedState: {},
    aggregatedAssets: [
      { toolId: "light1", assetId: "a", kind: "image", mediaType: "image/png", status: "refused", reason: "missing" },
    ],
  };
  const descriptor = {
    name: "weather",
    kind: "tool",
    transport: { type: "stdio", command: ["node", "weather.js"] },
    capabilities: [],
  };
  const event = { id: "e1", ts: 1.5, event: "turn:end", component: "runtime", status: "failed", data: { turnId: "t" } };

  test.each([
    ["[T3.1] an event", "tool-event", log, true],
    [
      "[T3.1] an event with unknown fields and nulls",
      "tool-event",
      { ...log, x: 1, fields: null, requestId: null },
      true,
    ],
    ["[T3.1] a bad timestamp", "tool-event", { ...log, timestamp: "yesterday" }, true],
    ["[T3.1] a number as the version", "tool-event", { ...log, version: 0 }, false],
    ["[T3.2] an unknown type", "tool-event", { version: "0", type: "dance" }, false],
    ["[T3.2] a list", "tool-event", [log], false],
    ["[P1.1] a plan", "plan-json", { requestId: "p", tools: [tool] }, true],
    ["[P1.1] a plan of nothing", "plan-json", { requestId: "p", tools: [], parallel: null, mood: "grim" }, true],
    ["[P1.2] no requestId", "plan-json", { tools: [] }, false],
    [
      "[P1.2] eleven retries",
      "plan-json",
      { requestId: "p", tools: [{ ...tool, retryPolicy: { maxRetries: 11 } }] },
      false,
    ],
    ["[P1.2] a negative time", "plan-json", { requestId: "p", tools: [{ ...tool, timeoutMs: -1 }] }, false],
    ["[R1.1] a result", "execution-result", result, true],
    [
      "[R1.1] a failure without a word",
      "execution-result",
      {
        ...result,
        toolResults: [{ ...toolResult, error: undefined }],
      },
      false,
    ],
    [
      "[R1.1] a state that contradicts ok",
      "execution-result",
      {
        ...result,
        toolResults: [{ ...toolResult, ok: true }],
      },
      false,
    ],
    [
      "[R1.1] a local time",
      "execution-result",
      {
        ...result,
        toolResults: [{ ...toolResult, attempts: [{ ...attempt, endedAt: "yesterday" }] }],
      },
      false,
    ],
    ["[R1.2] no failedTools", "execution-result", { ...result, failedTools: undefined }, false],
    ["[A1.1] a descriptor", "module-descriptor", descriptor, true],
    ["[A1.1] no command", "module-descriptor", { ...descriptor, transport: { type: "stdio" } }, false],
    ["[A1.1] no capabilities", "module-descriptor", { ...descriptor, capabilities: undefined }, false],
    ["[K1.1] an entry of the log", "event", event, true],
    ["[K1.1] a component of its own", "event", { ...event, component: "ghost" }, false],
    ["[K1.2] a turn that ends without its id", "event", { ...event, data: {} }, false],
    ["[K1.8] what a session is for", "session-plan", { goal: "Escape", inputs: { story: "cave" } }, true],
    ["[K1.8] a session without inputs", "session-plan", { goal: "Escape" }, false],
  ])("%s (%s)", (_, name, value, valid) => {
    expect(contractValidator(name)(value)).toBe(valid);
  });
});

describe("[T3.1] the OpenAPI document", () => {
  const text = contracts().get("tool-protocol.openapi.yaml") ?? "";
  const document = parse(text) as OpenApi;

  test("every $ref leads to a schema, and every event has one", () => {
    const targets = [...text.matchAll(/\$ref: "#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]);
    expect(text.match(/\$ref/g)).toHaveLength(targets.length);
    expect(new Set(targets)).toEqual(new Set(Object.keys(document.components.schemas)));
    const events = ["LogEvent", "StatePatchEvent", "AssetEvent", "UiEvent", "ErrorEvent", "DoneEvent"];
    expect(Object.keys(document.components.schemas)).toEqual([...events, "ToolEvent", "ToolInput"]);
    expect(document.openapi).toBe("3.1.0");
  });

  test("its examples are valid, and other lines are not", () => {
    const { requestBody, responses } = document.paths["/invocation"].post;
    const input = requestBody.content["application/json"];
    const output = responses.default.content["application/x-ndjson"];
    const takesInput = strictValidator(asJsonSchema(document, input.schema));
    const takesEvent = strictValidator(asJsonSchema(document, output.schema));
    expect(takesInput(input.example)).toBe(true);
    expect(takesInput({ ...input.example, requestId: 7 })).toBe(false);
    const examples = Object.values(output.examples);
    expect(examples.map(({ value }) => takesEvent(value))).toEqual(examples.map(() => true));
    expect(takesEvent({ version: "0", type: "log" })).toBe(false);
  });
});

/** A schema of the document that stands on its own. */
function asJsonSchema({ components }: OpenApi, schema: object): object {
  const text = JSON.stringify({ ...schema, $defs: components.schemas });
  return JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")) as object;
}

interface OpenApi {
  openapi: string;
  paths: {
    "/invocation": {
      post: {
        requestBody: { content: { "application/json": { schema: object; example: object } } };
        responses: {
          default: {
            content: { "application/x-ndjson": { schema: object; examples: { [name: string]: { value: unknown } } } };
          };
        };
      };
    };
  };
  components: { schemas: { [name: string]: object } };
}
