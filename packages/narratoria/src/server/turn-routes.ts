/** The routes that look into a session: its events, turns, logs and where a value came from. */
import { z } from "zod";
import { isRefusal, type SessionService } from "../index.ts";
import { openEventStream } from "./event-stream.ts";
import { jsonInPieces } from "./json-in-pieces.ts";
import { problem } from "./problem.ts";
import { route, type Route } from "./route.ts";
import { logLines, provenance, sessionView, turnRecord, turnState, turnTree } from "./view-schemas.ts";

const SESSION = "/api/sessions/:sessionId";
const MAX_LOG_LINES = 10_000;

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, { error: "must be a whole number" })
  .transform(Number);

const TOO_MANY_READERS = problem(
  503,
  "As many pages follow stories here as can be served at once. Close one of them, or try again later.",
);

export function turnRoutes(sessions: SessionService, mostReaders: number): Route[] {
  let readers = 0;
  return [
    route({
      method: "get",
      path: `${SESSION}/events`,
      name: "followEvents",
      summary: "The session's events after a number, stored ones first, as server-sent events; `bye` is the last.",
      query: z.object({
        after: wholeNumber.optional(),
        logs: z
          .enum(["each", "runs"])
          .optional()
          .describe("runs: of a run of log lines only the last comes, cut short, with `data.lines` telling how many."),
      }),
      status: 200,
      answers: "text/event-stream",
      handle: async ({ c, params, query }) => {
        // A browser that reconnects repeats the address it began with: what it has seen since is in the header.
        const seen = c.req.header("last-event-id");
        if (seen !== undefined && !/^\d{1,15}$/.test(seen)) return problem(400, "Last-Event-ID must be a whole number");
        const after = seen === undefined ? (query.after ?? 0) : Number(seen);
        const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform" };
        // Nobody would ever read, or end, the stream of a HEAD request.
        if (c.req.method === "HEAD") {
          const view = await sessions.view(params.sessionId);
          return isRefusal(view) ? view : new Response(null, { headers });
        }
        if (readers >= mostReaders) return { ...TOO_MANY_READERS, headers: { "Retry-After": "5" } };
        readers++;
        const leave = (): void => void readers--;
        const stream = await openEventStream(sessions, params.sessionId, after, query.logs, leave);
        if (!isRefusal(stream)) return new Response(stream, { headers });
        leave();
        return stream;
      },
    }),
    route({
      method: "get",
      path: `${SESSION}/tree`,
      name: "showTree",
      summary: "Every turn of the session's tree, without their texts.",
      status: 200,
      answers: turnTree,
      handle: ({ params }) => sessions.tree(params.sessionId),
    }),
    route({
      method: "get",
      path: `${SESSION}/turns/:turnId`,
      name: "showTurn",
      summary: "Everything about one turn: prompt, plans, execution results, trace.",
      status: 200,
      answers: turnRecord,
      handle: async ({ params }) => {
        const found = await sessions.turn(params.sessionId, params.turnId);
        if (isRefusal(found)) return found;
        const { trace, ...rest } = found;
        return jsonInPieces(rest, "trace", trace);
      },
    }),
    route({
      method: "get",
      path: `${SESSION}/turns/:turnId/state`,
      name: "showState",
      summary: "The state as it was after a turn.",
      status: 200,
      answers: turnState,
      handle: ({ params }) => sessions.stateAt(params.sessionId, params.turnId),
    }),
    route({
      method: "post",
      path: `${SESSION}/turns/:turnId/resume`,
      name: "resumeTurn",
      summary: "Goes on with an interrupted turn.",
      body: z.object({}),
      status: 200,
      answers: sessionView,
      handle: ({ params }) => sessions.resume(params.sessionId, params.turnId),
    }),
    route({
      method: "post",
      path: `${SESSION}/turns/:turnId/discard`,
      name: "discardTurn",
      summary: "Leaves an interrupted turn behind.",
      body: z.object({}),
      status: 200,
      answers: sessionView,
      handle: ({ params }) => sessions.discard(params.sessionId, params.turnId),
    }),
    route({
      method: "get",
      path: `${SESSION}/why`,
      name: "why",
      summary: "Where a value of the state came from.",
      query: z.object({ path: z.string().regex(/^(?:\/.*)?$/s, { error: "must be a JSON pointer" }) }),
      status: 200,
      answers: provenance,
      handle: ({ params, query }) => sessions.why(params.sessionId, query.path),
    }),
    route({
      method: "get",
      path: `${SESSION}/logs`,
      name: "readLogs",
      summary: "Log lines of one attempt, by their place among its log lines.",
      query: z.object({
        span: z.string().min(1).max(200).describe("The attempt's span id."),
        from: wholeNumber.optional(),
        count: wholeNumber.optional(),
        width: wholeNumber.optional().describe("Cuts messages to so many characters, and leaves out fields."),
      }),
      status: 200,
      answers: logLines,
      handle: ({ params, query: { span, from = 0, count = 1_000, width } }) =>
        sessions.logs(params.sessionId, span, { from, count: Math.min(count, MAX_LOG_LINES), width }),
    }),
    route({
      method: "get",
      path: `${SESSION}/export`,
      name: "exportSession",
      summary: "The session as one file that another machine opens to the same state.",
      status: 200,
      answers: "application/octet-stream",
      handle: async ({ c, params }) => {
        const view = await sessions.view(params.sessionId);
        if (isRefusal(view)) return view;
        const headers = {
          "Content-Type": "application/octet-stream",
          "Content-Disposition": `attachment; filename="${fileName(view.title)}.narratoria"`,
        };
        if (c.req.method === "HEAD") return new Response(null, { headers });
        const file = await sessions.export(params.sessionId);
        if (isRefusal(file)) return file;
        return new Response(streamOf(file), { headers });
      },
    }),
  ];
}

/** At the reader's pace. (A browser's types, which the browser tests have, know no `ReadableStream.from`.) */
function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: async () => void (await iterator.return?.()),
  });
}

/** A title as every system takes it as a file name. */
function fileName(title: string): string {
  return (
    title
      .replace(/[^\w-]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 80) || "session"
  );
}
