import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { createFakeSessions, NO_TOOLS } from "../../test/fake-sessions.ts";
import { createApp } from "./create-app.ts";

interface Document {
  openapi: string;
  paths: { [path: string]: { [method: string]: { operationId: string; parameters: { name: string; in: string }[] } } };
  components: { schemas: object };
}

const app = createApp({ sessions: createFakeSessions(), tools: NO_TOOLS, token: "t" });
const response = await app.request("/api/openapi.json", { headers: { authorization: "Bearer t" } });
const document = (await response.json()) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe("/api/openapi.json", () => {
  test("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator({ strict: false }).validate({ ...document });
    expect([document.openapi, valid, errors]).toEqual(["3.1.0", true, undefined]);
  });

  test("has every route of the app, and no other", () => {
    const isRoute = ({ method, path }: { method: string; path: string }): boolean =>
      method !== "ALL" && path.startsWith("/api");
    const routes = app.routes.filter(isRoute).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const described = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(described.toSorted()).toEqual(routes.toSorted());
    expect(described).toHaveLength(40);
  });

  test("names each operation once, and every parameter of its path", () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
      expect(inPath, path).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
    }
  });

  test("refers only to schemas it holds", () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g);
    const names = [...references].map((match) => match[1] ?? "");
    expect(names).toContain("#/components/schemas/Session");
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});
