/** The OpenAPI 3.1 document, made of the route table and its schemas. */
import { z } from "zod";
import { VERSION } from "../version.ts";
import type { Route } from "./route.ts";

type JsonSchema = { [key: string]: unknown };

export function describeRoutes(routes: readonly Route[]): object {
  const schemas = toJsonSchemas(routes);
  const paths: { [path: string]: { [method: string]: object } } = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method]: describeRoute(route, schemas.of(route)) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Narratoria",
      version: VERSION,
      summary: "Play, follow and inspect sessions.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: { ...schemas.shared, Error: ERROR },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The token, or the key of a sign-in." },
      },
    },
  };
}

const ERROR: JsonSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { enum: ["bad_request", "unauthorized", "forbidden", "not_found", "conflict", "internal", "busy"] },
        message: { type: "string" },
        details: { type: "object" },
      },
    },
  },
};

function describeRoute(route: Route, schemas: RouteSchemas): object {
  const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]);
  const inPath = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const { properties = {}, required = [] } = (schemas.query ?? {}) as { properties?: object; required?: string[] };
  const inQuery = Object.entries(properties).map(([name, schema]) => {
    return { name, in: "query", required: required.includes(name), schema: schema as JsonSchema };
  });
  const answerType = typeof route.answers === "string" ? route.answers : "application/json";
  const bodyType = route.body === "file" ? "application/octet-stream" : "application/json";
  return {
    operationId: route.name,
    summary: route.summary,
    ...(route.path === "/api/health" ? { security: [] } : {}),
    parameters: [...inPath, ...inQuery],
    ...(route.body === undefined ? {} : { requestBody: { content: { [bodyType]: { schema: schemas.body ?? {} } } } }),
    responses: {
      [route.status]: { description: "As it should be.", content: { [answerType]: { schema: schemas.answers ?? {} } } },
      default: {
        description: "Refused, with the reason.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

interface RouteSchemas {
  query?: JsonSchema;
  body?: JsonSchema;
  answers?: JsonSchema;
}

/** All schemas in one go, so that one that is used in several places is described once. */
function toJsonSchemas(routes: readonly Route[]): { of(route: Route): RouteSchemas; shared: JsonSchema } {
  const parts: { [name: string]: z.ZodType } = {};
  for (const { name, query, body, answers } of routes) {
    for (const [part, schema] of Object.entries({ query, body, answers })) {
      if (schema instanceof z.ZodType) parts[`${name} ${part}`] = schema;
    }
  }
  const all = z.object(parts);
  // Unknown fields are allowed both ways ("input"); "any" because our JSON values are custom checks.
  const document = z.toJSONSchema(all, { io: "input", unrepresentable: "any" });
  const text = JSON.stringify({ properties: document.properties, shared: document.$defs ?? {} });
  const { properties, shared } = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as {
    properties: { [name: string]: JsonSchema };
    shared: JsonSchema;
  };
  const of = ({ name }: Route): RouteSchemas => {
    const found = (["query", "body", "answers"] as const).map((part) => [part, properties[`${name} ${part}`]] as const);
    return Object.fromEntries(found.filter(([, schema]) => schema !== undefined));
  };
  return { of, shared };
}
