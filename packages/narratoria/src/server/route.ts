/**
 * A route as data: what it takes, what it answers, and the function between. `addRoutes` puts a table of them into the
 * app, and `openapi.ts` describes the same table, so that the two cannot differ.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { Context, Hono } from "hono";
import type { z } from "zod";
import { isRefusal, type Refusal } from "../index.ts";
import { isProblem, problem, sendProblem, type Problem } from "./problem.ts";
import { readFileBody, readJsonBody } from "./read-body.ts";

export interface Route extends RouteShape {
  answer: (c: Context) => Promise<Response>;
}

export interface RouteShape {
  method: "get" | "post" | "patch" | "delete";
  /** As hono writes it: `/api/sessions/:sessionId`. */
  path: string;
  /** The name of the operation in the OpenAPI document. */
  name: string;
  summary: string;
  query?: z.ZodObject;
  /** Absent: none is read. "file": the bytes of a file. */
  body?: z.ZodObject | "file";
  status: 200 | 201 | 202;
  /** What is answered; a string is a media type of something other than JSON. */
  answers: z.ZodType | string;
}

/** Values become JSON with the route's status; a refusal becomes an error; a response goes out as it is. */
export type RouteAnswer = object | Refusal | Problem | Response;

interface Definition<Path extends string, Query extends z.ZodObject, Body extends z.ZodObject> extends RouteShape {
  path: Path;
  query?: Query;
  body?: Body;
  /** Where it is not what other routes take. */
  mostBodyBytes?: number;
  /** How it is told that a body is wrong, where others than our own clients must understand it. */
  refuseBody?: (c: Context, what: Problem) => Response;
  handle: (call: {
    c: Context;
    params: { [name in ParameterName<Path>]: string };
    query: z.output<Query>;
    body: z.output<Body>;
  }) => RouteAnswer | Promise<RouteAnswer>;
}

type ParameterName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterName<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export function route<const Path extends string, Query extends z.ZodObject, Body extends z.ZodObject>(
  definition: Definition<Path, Query, Body>,
): Route {
  const { handle, mostBodyBytes, refuseBody = sendProblem, ...shape } = definition;
  return {
    ...shape,
    answer: async (c) => {
      const params = c.req.param() as { [name in ParameterName<Path>]: string };
      if (!Object.values<string>(params).every(isWellFormedId))
        return sendProblem(c, problem(404, "there is no such thing"));
      const query = check(shape.query, c.req.query(), "the address");
      if (isProblem(query)) return sendProblem(c, query);
      const read = shape.body === undefined ? { value: {} } : await readJsonBody(c.req.raw, mostBodyBytes);
      if (isProblem(read)) return refuseBody(c, read);
      const body = check(shape.body, read.value, "the body");
      if (isProblem(body)) return refuseBody(c, body);
      return send(c, await handle({ c, params, query, body }), shape.status);
    },
  };
}

/** A route whose body is a file, handed on as it arrives. */
export function fileRoute<Query extends z.ZodObject>(
  definition: RouteShape & {
    query: Query;
    handle: (file: AsyncIterable<Uint8Array>, query: z.output<Query>) => Promise<RouteAnswer>;
  },
): Route {
  const { handle, ...shape } = definition;
  return {
    ...shape,
    body: "file",
    answer: async (c) => {
      const query = check(shape.query, c.req.query(), "the address");
      if (isProblem(query)) return sendProblem(c, query);
      const read = readFileBody(c.req.raw);
      if (isProblem(read)) return sendProblem(c, read);
      return send(c, await handle(read.chunks, query), shape.status);
    },
  };
}

export function addRoutes(app: Hono, routes: readonly Route[]): void {
  for (const { method, path, answer } of routes) app[method](path, answer);
  const methods = new Map<string, string[]>();
  for (const { method, path } of routes) methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
  for (const [path, allowed] of methods) {
    const message = `this address takes ${allowed.join(" and ")}`;
    app.all(path, (c) => sendProblem(c, { ...problem(405, message), headers: { Allow: allowed.join(", ") } }));
  }
}

function send(c: Context, answer: RouteAnswer, status: RouteShape["status"]): Response {
  if (answer instanceof Response) return answer;
  if (isRefusal(answer) || isProblem(answer)) return sendProblem(c, answer);
  return c.json(answer, status);
}

function check<Schema extends z.ZodObject>(
  schema: Schema | undefined,
  value: unknown,
  where: string,
): z.output<Schema> | Problem {
  if (schema === undefined) return {} as z.output<Schema>;
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  const text = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  return problem(400, `${where} is not as it should be: ${text}`, { problems } satisfies JsonObject);
}

/** What is longer or stranger than any id of ours cannot exist. */
function isWellFormedId(text: string): boolean {
  return /^[\w.:-]{1,200}$/.test(text);
}
