/** The built web app as static files, and the headers that let it do no more than it needs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { serveStatic } from "@hono/node-server/serve-static";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { problem, sendProblem } from "./problem.ts";

const WEB_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob: data:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const addSecurityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  const { headers } = c.res;
  if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", WEB_POLICY);
  if (c.req.path.startsWith("/api") && !headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
};

/** Files by their path; a path that looks like a page of the app gets the app, which reads the path itself. */
export function addWebFiles(app: Hono, webDir: string): void {
  const keeping: MiddlewareHandler = async (c, next) => {
    await next();
    c.res.headers.set("Cache-Control", howLongKept(c));
  };
  app.get("*", keeping, compress(), serveStatic({ root: webDir }));
  app.get("*", async (c) => {
    const isPage = !c.req.path.startsWith("/api") && !/\.[^/]*$/.test(c.req.path);
    const page = isPage ? await readFile(join(webDir, "index.html"), "utf8").catch(() => null) : null;
    return page === null ? sendProblem(c, problem(404, "there is nothing at this address")) : c.html(page);
  });
}

function howLongKept(c: Context): string {
  // The browser's cache would remember the address with what it brings.
  if (c.req.query("code") !== undefined || c.req.query("token") !== undefined) return "no-store";
  // Vite puts a hash of the content into these names.
  return c.res.ok && c.req.path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
}
