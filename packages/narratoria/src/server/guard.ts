/**
 * Who may talk to the server. A page elsewhere can make a browser send requests here, so the address it used (`Host`),
 * where it comes from (`Origin`, `Sec-Fetch-Site`) and the token are all checked, on loopback too.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { problem, sendProblem } from "./problem.ts";

const ONE_YEAR_IN_SECONDS = 365 * 24 * 60 * 60;
const OPEN_ROUTE = "/api/health";

/** Refuses what comes from another site, before anything else looks at it. */
export function refuseForeignRequests(isOwnHost: (host: string) => boolean): MiddlewareHandler {
  return async (c, next) => {
    const host = hostOf(c);
    if (host === null || !isOwnHost(host.hostname)) {
      return sendProblem(
        c,
        problem(403, "this server does not answer to that host name (serve --host allows another)"),
      );
    }
    const origin = c.req.header("origin");
    if (origin !== undefined && parseUrl(origin)?.host !== host.host) {
      return sendProblem(c, problem(403, "another site may not use this server"));
    }
    const site = c.req.header("sec-fetch-site");
    if ((site === "cross-site" || site === "same-site") && !isVisit(c)) {
      return sendProblem(c, problem(403, "another site may not use this server"));
    }
    return next();
  };
}

/** Refuses every use of the API without the token; the health check and the web's own files need none. */
export function requireToken(token: string): MiddlewareHandler {
  return async (c, next) => {
    if (!c.req.path.startsWith("/api") || c.req.path === OPEN_ROUTE) return next();
    const authorization = c.req.header("authorization");
    const given =
      authorization === undefined ? getCookie(c, cookieName(token)) : /^bearer +(\S+)$/i.exec(authorization)?.[1];
    if (given !== undefined && isSame(given, token)) return next();
    const message = "the token is missing or wrong: open the address that `narratoria serve` printed";
    return sendProblem(c, { ...problem(401, message), headers: { "WWW-Authenticate": "Bearer" } });
  };
}

/** A visit to `/?token=T` signs the browser in and goes on without the token, which so leaves the address bar. */
export function signIn(token: string): MiddlewareHandler {
  return async (c, next) => {
    const given = c.req.query("token");
    if (given === undefined || c.req.method !== "GET" || c.req.path.startsWith("/api")) return next();
    if (isSame(given, token)) {
      const lasting = { httpOnly: true, sameSite: "Strict", path: "/", maxAge: ONE_YEAR_IN_SECONDS } as const;
      setCookie(c, cookieName(token), token, lasting);
    }
    const address = new URL(c.req.url);
    address.searchParams.delete("token");
    // A path of `//elsewhere` would lead to another host.
    c.header("Cache-Control", "no-store");
    return c.redirect(address.pathname.replace(/^\/+/, "/") + address.search, 302);
  };
}

/**
 * The names this server answers to. On all interfaces (`0.0.0.0`) that is any address in numbers: rebinding, which
 * the check is for, needs a name.
 */
export function ownHosts(listenHost: string): (host: string) => boolean {
  const names = ["localhost", "127.0.0.1", "::1", listenHost.toLowerCase()];
  const isOnAllInterfaces = listenHost === "0.0.0.0" || listenHost === "::";
  if (isOnAllInterfaces) names.push(hostname().toLowerCase());
  return (host) => {
    const name = host.replace(/^\[|\]$/g, "");
    return names.includes(name) || (isOnAllInterfaces && isIP(name) !== 0);
  };
}

/** Cookies ignore ports: two servers on one machine must not overwrite each other's. */
function cookieName(token: string): string {
  return `narratoria-${digest(token).toString("hex").slice(0, 12)}`;
}

/** Someone following a link to the app; it shows only what the signed-in browser fetches afterwards. */
function isVisit(c: Context): boolean {
  return c.req.method === "GET" && c.req.header("sec-fetch-mode") === "navigate" && !c.req.path.startsWith("/api");
}

function hostOf(c: Context): URL | null {
  return parseUrl(`http://${c.req.header("host") ?? new URL(c.req.url).host}`);
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
