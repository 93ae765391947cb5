/** What modules answer, over stdio and over HTTP: whatever it is, every call ends once, with a value of ours. */
import type { Json, JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import { createModuleClient, type ModuleClient, type NotTaken } from "../../src/runners/module-client.ts";
import { createHttpConnection } from "../../src/runners/module-http.ts";
import { createStdioConnection } from "../../src/runners/module-stdio.ts";
import { systemClock } from "../../src/runtime/seams/clock.ts";
import type { ModuleReply } from "../../src/runtime/seams/modules.ts";
import { everythingPending } from "../fake-clock.ts";
import { damaged } from "../mutated-json.ts";
import { cutsOf } from "./cuts.ts";
import { hostileText } from "./hostile-pieces.ts";
import { httpResponses, openRawServer } from "./http-responses.ts";
import { sometimesSpoiled, spoiled } from "./mutate-bytes.ts";
import { createScriptedProcess } from "./scripted-process.ts";
import { must, mustBeJson, mustBeSame, mustBeWords, type FuzzTarget } from "./target.ts";

const MOST_BYTES = 4 * 1024;
const never = new AbortController().signal;

const bodies: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ ok: fc.constant(true), result: fc.jsonValue({ maxDepth: 2 }) }),
  fc.record({
    ok: fc.constant(false),
    error: fc.record({ code: fc.constantFrom("timeout", "x", ""), message: hostileText }),
  }),
  fc.constantFrom({ status: "ok" }, { name: "m", kind: "tool" }, { name: "m", kind: "tool", inputs: { $ref: "#" } }),
) as fc.Arbitrary<JsonObject>;
const id = fc.constantFrom<Json>("1", "2", "3", "4", 1, 3, 99, null, "__proto__", "constructor", {}, true, -1, 1.5);

const lines = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.tuple(id, bodies).map(([id, body]) => JSON.stringify({ id, ...body })) },
      { weight: 2, arbitrary: damaged(bodies).map((value) => JSON.stringify(value)) },
      fc.constantFrom("ready", "{half", "", "[1]", `{"id":"3","ok":true,"result":"${"x".repeat(MOST_BYTES)}"}`),
    ),
    { maxLength: 8 },
  )
  .map((all) => Buffer.from(all.map((line) => `${line}\n`).join("")));

const SEEDS = [
  '{"id":"1","status":"ok"}\n{"id":"2","name":"m","kind":"tool","capabilities":[]}\n{"id":"3","ok":true,"result":{"a":1}}\n{"id":"4","ok":false,"error":{"code":"internal","message":"m","details":{"exitCode":7}}}\n',
  '{"status":"ok"}\n{"name":"m","kind":"tool"}\n{"ok":true}\n{"ok":true,"result":null}\n',
];

export const moduleStdio: FuzzTarget = {
  few: 500,
  open: async () => ({
    inputs: fc.oneof({ weight: 2, arbitrary: sometimesSpoiled(lines) }, spoiled(SEEDS)),
    try: async (input) => {
      const all = [];
      for (const chunks of cutsOf(input)) all.push(await callAll(chunks));
      const [first] = all;
      must(first !== undefined, "nothing was called");
      for (const other of all) mustBeSame(first, other, "two ways to cut the same bytes");
      return first.replies.map(describe).join(" ");
    },
    close: async () => {},
  }),
};

/** Four calls at once, and then everything the module ever says. */
async function callAll(
  chunks: readonly Buffer[],
): Promise<{ replies: (ModuleReply | NotTaken)[]; warnings: string[] }> {
  let calls = 0;
  const { promise: allSent, resolve } = Promise.withResolvers<void>();
  const scripted = createScriptedProcess(() => {
    if (++calls === 4) resolve();
  });
  const connection = createStdioConnection(scripted.process, { maxMessageBytes: MOST_BYTES, terminateGraceMs: 10 });
  const client = createModuleClient(connection);
  const pending = Promise.all([client.health(), client.describe(), invoke(client, "a"), invoke(client, "b")]);
  await allSent;
  await scripted.print(chunks);
  scripted.exit(0);
  const replies = await pending;
  await everythingPending();
  must(!client.isUp(), "a module that has left is called again");
  await client.close();
  scripted.mustBeGone();
  for (const reply of replies) checkReply(reply);
  const { warnings } = client.takeOutput();
  must(warnings.length <= 100 && warnings.every((text) => text.length < 300), "warnings without end");
  return { replies, warnings };
}

export const moduleHttp: FuzzTarget = {
  few: 150,
  open: async () => {
    const server = await openRawServer();
    const connection = createHttpConnection({ url: server.url, maxMessageBytes: MOST_BYTES });
    const client = createModuleClient(connection);
    return {
      inputs: httpResponses(damaged(bodies)),
      try: async (input) => {
        server.answerWith(input);
        const reply = await invoke(client, "a");
        await server.quiet();
        checkReply(reply);
        must(JSON.stringify(reply).length < 2 * MOST_BYTES, "more was taken than may be");
        const why = reply.kind === "ok" ? "" : reply.error.message.replaceAll(/[^a-z ]+/gi, "").slice(-30);
        return `${describe(reply)} ${why}`;
      },
      close: async () => {
        await client.close();
        await server.close();
      },
    };
  },
};

function invoke(client: ModuleClient, op: string): ReturnType<ModuleClient["invoke"]> {
  return client.invoke({ op, args: {}, sessionId: null, timeoutMs: 20_000 }, systemClock, never);
}

function checkReply(reply: ModuleReply | NotTaken): void {
  mustBeJson(reply, "a reply");
  if (reply.kind === "ok") return;
  const { code, message, details = {} } = reply.error;
  must(typeof code === "string" && code !== "", "an error without a code");
  must(typeof message === "string", "an error without a message");
  must(!message.includes("did not answer within"), "the time limit had to end it");
  if (code === "unreachable") mustBeWords(message, "an error of ours");
  mustBeJson(details, "the details of an error");
}

const CODES = ["timeout", "unreachable", "internal", "bad_request", "unsupported_op", "forbidden"];

/** A module names its errors as it likes. */
function describe(reply: ModuleReply | NotTaken): string {
  if (reply.kind !== "error") return reply.kind;
  return CODES.includes(reply.error.code) ? reply.error.code : "a code of its own";
}
