/**
 * Narratoria itself as a module: whoever speaks the module protocol can start a story, play it, look at its state, fork
 * and undo. `module-routes.ts` answers over HTTP, `cli/module.ts` on standard streams.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { z } from "zod";
import { isRefusal, type Refusal, type SessionService, toldOf } from "../index.ts";
import { jsonObjectSchema, type SessionView } from "../story/index.ts";
import { noteBug } from "./problem.ts";

/** The body of the answer to one message. Never rejects. */
export type SessionModule = (method: string, params: Json) => Promise<JsonObject>;

const session = z.string().min(1);
const OPERATIONS = {
  start: z.object({
    story: z.string().optional().describe("The folder of the story; without it the default one."),
    title: z.string().optional(),
    goal: z.string().optional(),
    inputs: jsonObjectSchema.optional().describe("Merged into the state that the story begins with."),
  }),
  prompt: z.object({
    session_id: session,
    text: z.string().min(1).optional().describe("What the player does."),
    choice_id: z.string().min(1).optional().describe("In place of a text: the id of a choice that is open."),
  }),
  state: z.object({ session_id: session }),
  fork: z.object({ session_id: session, turn_id: z.string().optional().describe("Without it: where the session is.") }),
  undo: z.object({ session_id: session }),
} as const;
type Operation = keyof typeof OPERATIONS;
type Arguments<Op extends Operation> = z.output<(typeof OPERATIONS)[Op]>;

export function createSessionModule(sessions: SessionService, version: string): SessionModule {
  const perform: { [Op in Operation]: (args: Arguments<Op>) => Promise<object | Refusal> } = {
    start: async ({ story, ...rest }) => {
      const created = await sessions.create({ storyDir: story, ...rest });
      if (isRefusal(created)) return created;
      await sessions.idle(created.sessionId);
      return viewOf(await sessions.view(created.sessionId));
    },
    prompt: async ({ session_id: sessionId, text, choice_id: choiceId }) => {
      const begun = await sessions.prompt(sessionId, choiceId === undefined ? (text ?? "") : { choiceId });
      if (isRefusal(begun)) return begun;
      await sessions.turnEnded(sessionId, begun.turnId);
      return viewOf(await sessions.view(sessionId));
    },
    state: async ({ session_id: sessionId }) => viewOf(await sessions.view(sessionId)),
    fork: async ({ session_id: sessionId, turn_id: turnId }) => {
      const view = await sessions.view(sessionId);
      if (isRefusal(view)) return view;
      const forked = await sessions.fork(sessionId, turnId ?? view.headTurnId ?? "");
      return isRefusal(forked) ? forked : viewOf(await sessions.view(forked.sessionId));
    },
    undo: async ({ session_id: sessionId }) => viewOf(await sessions.undo(sessionId)),
  };

  async function invoke(params: JsonObject): Promise<JsonObject> {
    const { op, args, session_id: sessionId } = params;
    if (typeof op !== "string") return failure("bad_request", "op must name an operation");
    if (!isJsonObject(args)) return failure("bad_request", "args must be an object");
    if (!isOperation(op))
      return failure("unsupported_op", `there is no ${op}; there are ${Object.keys(OPERATIONS).join(", ")}`);
    const checked = OPERATIONS[op].safeParse({
      ...(typeof sessionId === "string" && { session_id: sessionId }),
      ...args,
    });
    if (!checked.success) {
      const problems = checked.error.issues.map(({ path, message }) => `${path.join("/")}: ${message}`);
      return failure("bad_request", `args are not as they should be: ${problems.join("; ")}`);
    }
    const result = await (perform[op] as (args: unknown) => Promise<object | Refusal>)(checked.data);
    if (!isRefusal(result)) return { ok: true, result: result as JsonObject };
    return failure("bad_request", result.message, { reason: result.code, ...result.details });
  }

  return async (method, params) => {
    try {
      switch (method) {
        case "health":
          return { status: "ok" };
        case "describe":
          return { name: "narratoria", version, kind: "agent", capabilities: [], inputs: inputs(), outputs: {} };
        case "invoke":
          return await invoke(isJsonObject(params) ? params : {});
        default:
          return failure("unsupported_op", `there is no ${method}; there are health, describe and invoke`);
      }
    } catch (error) {
      noteBug(`${method} failed: ${String(error)}`);
      return failure("internal", "something went wrong in Narratoria; nothing that was told before is lost");
    }
  };
}

/** What the last turn told, and what can be done now. */
function viewOf(view: SessionView | Refusal): object | Refusal {
  if (isRefusal(view)) return view;
  const { sessionId, turnId, text, ...rest } = toldOf(view);
  return { session_id: sessionId, turn_id: turnId, narrative: text, ...rest };
}

/** The arguments of all operations together: which of them one needs, its answer says. */
function inputs(): JsonObject {
  const schemas = Object.values(OPERATIONS).map((schema) => z.toJSONSchema(schema, { unrepresentable: "any" }));
  const properties = Object.assign({}, ...schemas.map((schema) => schema.properties ?? {})) as JsonObject;
  return { type: "object", properties };
}

function isOperation(op: string): op is Operation {
  return Object.hasOwn(OPERATIONS, op);
}

function failure(code: string, message: string, details?: JsonObject): JsonObject {
  return { ok: false, error: { code, message, ...(details && { details }) } };
}
