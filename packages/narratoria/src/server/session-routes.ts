/** The routes that list, make, change and move sessions. `turn-routes.ts` has those that look into one. */
import { basename } from "node:path";
import { z } from "zod";
import { isRefusal, type SessionService } from "../index.ts";
import { emptyView, jsonObjectSchema, jsonSchema } from "../story/index.ts";
import { problem } from "./problem.ts";
import { UnreadableBody } from "./read-body.ts";
import { fileRoute, route, type Route } from "./route.ts";
import { sessionCreated, sessionDeleted, sessionList, sessionView, storyList, turnStarted } from "./view-schemas.ts";

const MAX_PROMPT_BYTES = 64 * 1024;
/** As a header gives it. */
const KEY = /^[\x21-\x7e]{1,200}$/;
const SESSION = "/api/sessions/:sessionId";

const title = z.string().trim().min(1).max(200);
const turnId = z.string().min(1).max(200);
const contextKey = z.string().min(1).max(200);
const contextEntry = z.object({ key: z.string(), value: jsonSchema }).meta({ id: "ContextEntry" });

export function sessionRoutes(sessions: SessionService): Route[] {
  /** By the name of its folder, where that is one that is known; else by the folder itself. */
  async function storyNamed(story: string | undefined): Promise<string | undefined> {
    const known = (await sessions.stories()).find(({ dir }) => basename(dir) === story);
    return known?.dir ?? story;
  }

  return [
    route({
      method: "get",
      path: "/api/stories",
      name: "listStories",
      summary: "The stories there are.",
      status: 200,
      answers: storyList,
      handle: () => sessions.stories(),
    }),
    route({
      method: "get",
      path: "/api/sessions",
      name: "listSessions",
      summary: "All sessions.",
      status: 200,
      answers: sessionList,
      handle: () => sessions.list(),
    }),
    route({
      method: "post",
      path: "/api/sessions",
      name: "startSession",
      summary: "Starts a session and its opening turn; without a story, the default one.",
      body: z.object({
        story: z
          .string()
          .min(1)
          .optional()
          .describe("The story's folder, or just its name when it is one of /api/stories."),
        title: title.optional(),
        goal: z.string().max(2000).optional(),
        inputs: jsonObjectSchema.optional(),
      }),
      status: 201,
      answers: sessionCreated,
      handle: async ({ body: { story, ...rest } }) => {
        return sessions.create({ storyDir: await storyNamed(story), ...rest });
      },
    }),
    fileRoute({
      method: "post",
      path: "/api/sessions/import",
      name: "importSession",
      summary: "Makes a session of an exported file: to be played with the story that is named, else only to be read.",
      query: z.object({ story: z.string().min(1).optional() }),
      status: 201,
      answers: sessionCreated,
      handle: async (file, { story }) => {
        try {
          return await sessions.import(file, await storyNamed(story));
        } catch (error) {
          if (error instanceof UnreadableBody) return error.problem;
          throw error;
        }
      },
    }),
    route({
      method: "get",
      path: SESSION,
      name: "showSession",
      summary: "A snapshot of the session.",
      status: 200,
      answers: sessionView,
      handle: ({ params }) => sessions.view(params.sessionId),
    }),
    route({
      method: "patch",
      path: SESSION,
      name: "renameSession",
      summary: "Gives the session another title.",
      body: z.object({ title }),
      status: 200,
      answers: sessionView,
      handle: ({ params, body }) => sessions.rename(params.sessionId, body.title),
    }),
    route({
      method: "delete",
      path: SESSION,
      name: "deleteSession",
      summary:
        "Deletes the session for good; answers its last snapshot, and what stays of it because forks begin with it.",
      query: z.object({
        purge: z
          .enum(["true", "false"])
          .optional()
          .describe("Deletes what would stay too: forks go on without the turns they began with."),
      }),
      status: 200,
      answers: sessionDeleted,
      handle: async ({ params, query }) => {
        const { sessionId } = params;
        const isPurge = query.purge === "true";
        const last = await sessions.view(sessionId);
        // What was deleted before may still be purged.
        if (isRefusal(last) && !(isPurge && last.code === "not_found")) return last;
        const removed = await sessions.remove(sessionId, isPurge);
        if (isRefusal(removed)) return removed;
        const { kept, shortened } = removed;
        return { ...(isRefusal(last) ? emptyView(sessionId) : last), kept, shortened, deleted: [sessionId] };
      },
    }),
    route({
      method: "post",
      path: `${SESSION}/prompts`,
      name: "prompt",
      summary:
        "Accepts a prompt and starts its turn; a parent makes it a sibling (an edit, another take). Sent again with the " +
        "same Idempotency-Key it is the same turn.",
      body: z
        .object({
          text: z
            .string()
            .refine((text) => text.trim() !== "", { error: "must not be empty" })
            .optional()
            .describe("What the player types."),
          choiceId: z
            .string()
            .min(1)
            .max(2_000)
            .optional()
            .describe("In place of a text: the id of one of the choices that are open there."),
          parentTurnId: turnId.optional(),
        })
        .refine(({ text, choiceId }) => (text === undefined) !== (choiceId === undefined), {
          error: "must have either a text or a choiceId",
        }),
      status: 202,
      answers: turnStarted,
      handle: ({ c, params, body: { text, choiceId, parentTurnId } }) => {
        if (Buffer.byteLength(text ?? "") > MAX_PROMPT_BYTES)
          return problem(413, "a prompt may have 64 KiB at most", { limit: MAX_PROMPT_BYTES });
        const key = c.req.header("idempotency-key");
        if (key !== undefined && !KEY.test(key))
          return problem(400, "Idempotency-Key must have 1 to 200 visible characters");
        const said = choiceId === undefined ? (text ?? "") : { choiceId };
        return sessions.prompt(params.sessionId, said, { parentTurnId, key });
      },
    }),
    route({
      method: "post",
      path: `${SESSION}/retry`,
      name: "retry",
      summary: "Another take of a turn, by default the newest.",
      body: z.object({ turnId: turnId.optional() }),
      status: 202,
      answers: turnStarted,
      handle: ({ params, body }) => sessions.retry(params.sessionId, body.turnId),
    }),
    route({
      method: "post",
      path: `${SESSION}/fork`,
      name: "fork",
      summary: "A new session that goes on from a turn.",
      body: z.object({ turnId, title: title.optional() }),
      status: 201,
      answers: sessionCreated,
      handle: ({ params, body }) => sessions.fork(params.sessionId, body.turnId, body.title),
    }),
    route({
      method: "post",
      path: `${SESSION}/end`,
      name: "endSession",
      summary: "Ends the session; it can still be read and forked.",
      body: z.object({ reason: z.string().min(1).max(2000).optional() }),
      status: 200,
      answers: sessionView,
      handle: ({ params, body }) => sessions.end(params.sessionId, body.reason ?? "ended by the player"),
    }),
    route({
      method: "post",
      path: `${SESSION}/undo`,
      name: "undo",
      summary: "Goes back to the turn before.",
      body: z.object({}),
      status: 200,
      answers: sessionView,
      handle: ({ params }) => sessions.undo(params.sessionId),
    }),
    route({
      method: "post",
      path: `${SESSION}/head`,
      name: "moveHead",
      summary: "Goes to any turn of the session.",
      body: z.object({ turnId }),
      status: 200,
      answers: sessionView,
      handle: ({ params, body }) => sessions.moveHead(params.sessionId, body.turnId),
    }),
    route({
      method: "post",
      path: `${SESSION}/cancel`,
      name: "cancel",
      summary: "Stops the running turn, if any, and answers when it has ended.",
      body: z.object({}),
      status: 200,
      answers: sessionView,
      handle: ({ params }) => sessions.cancel(params.sessionId),
    }),
    route({
      method: "post",
      path: `${SESSION}/bookmarks`,
      name: "bookmark",
      summary: "Names a turn; null takes the name away.",
      body: z.object({ turnId, name: title.nullable() }),
      status: 200,
      answers: sessionView,
      handle: ({ params, body }) => sessions.bookmark(params.sessionId, body.turnId, body.name),
    }),
    route({
      method: "get",
      path: `${SESSION}/context`,
      name: "getContext",
      summary: "What the session was told to remember under a key; null when nothing was.",
      query: z.object({ key: contextKey }),
      status: 200,
      answers: contextEntry,
      handle: ({ params, query }) => sessions.getContext(params.sessionId, query.key),
    }),
    route({
      method: "post",
      path: `${SESSION}/context`,
      name: "setContext",
      summary: "Remembers a value under a key, for forks too.",
      body: z.object({ key: contextKey, value: jsonSchema }),
      status: 200,
      answers: contextEntry,
      handle: ({ params, body }) => sessions.setContext(params.sessionId, body.key, body.value),
    }),
    route({
      method: "post",
      path: `${SESSION}/skills`,
      name: "enableSkill",
      summary: "Tries a skill again that was put aside because it kept failing.",
      body: z.object({ enable: z.string().min(1) }),
      status: 200,
      answers: sessionView,
      handle: ({ params, body }) => sessions.enableSkill(params.sessionId, body.enable),
    }),
    route({
      method: "post",
      path: `${SESSION}/answers`,
      name: "answerAsk",
      summary: "Answers a question to the player.",
      body: z.object({ askId: z.string().min(1).max(200), value: z.string().max(64 * 1024) }),
      status: 200,
      answers: z.object({ answered: z.literal(true) }),
      handle: ({ params, body }) => sessions.answer(params.sessionId, body.askId, body.value),
    }),
  ];
}
