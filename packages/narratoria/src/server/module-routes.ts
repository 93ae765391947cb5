/** Narratoria as a module over HTTP: `session-module.ts` under the server's token. */
import type { Context } from "hono";
import { z } from "zod";
import { MAX_MESSAGE_BYTES, VERSION, type SessionService } from "../index.ts";
import { jsonSchema } from "../story/index.ts";
import type { Problem } from "./problem.ts";
import { route, type Route } from "./route.ts";
import { createSessionModule } from "./session-module.ts";

/** The module protocol has answers of its own for what is wrong with a message. */
const anything = z.object({}).catchall(jsonSchema);

export function moduleRoutes(sessions: SessionService): Route[] {
  const answer = createSessionModule(sessions, VERSION);
  const methods = [
    ["health", "moduleHealth", "Narratoria as a module: whether it is there."],
    ["describe", "moduleDescribe", "Narratoria as a module: what it is and takes."],
    ["invoke", "moduleInvoke", "Narratoria as a module: start, prompt, state, fork, undo."],
  ] as const;
  return methods.map(([method, name, summary]) =>
    route({
      method: "post",
      path: `/api/module/${method}`,
      name,
      summary,
      body: anything,
      mostBodyBytes: MAX_MESSAGE_BYTES,
      refuseBody,
      status: 200,
      answers: anything,
      handle: ({ body }) => answer(method, body),
    }),
  );
}

function refuseBody(c: Context, { status, message, details }: Problem): Response {
  return c.json({ ok: false, error: { code: "bad_request", message, ...(details && { details }) } }, status);
}
