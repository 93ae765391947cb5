/** Narratoria as a module over HTTP: `session-module.ts` under the server's token. */
import { z } from "zod";
import { type SessionService, VERSION } from "../index.ts";
import { jsonSchema } from "../story/index.ts";
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
      status: 200,
      answers: anything,
      handle: ({ body }) => answer(method, body),
    }),
  );
}
