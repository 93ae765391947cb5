/**
 * Who may talk to the server. A page elsewhere can make a browser send requests here, so the address it used (`Host`),
 * where it comes from (`Origin`, `Sec-Fetch-Site`) and what it knows are all checked, on loopback too. No cookie is
 * ever looked at: every server on this machine would receive it. `sign-ins.ts` knows who is known.
 */
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie } from "hono/cookie";
import { problem, sendProblem } from "./problem.ts";
import { SIGN_IN_PATH } from "./sign-in-routes.ts";
import type { SignedAddresses } from "./signed-addresses.ts";
import type { SignIns } from "./sign-ins.ts";
import { isNoStranger } from "./strangers.ts";

const OPEN_ROUTES = ["/api/health", SIGN_IN_PATH];

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

/** Refuses every use of the API by the unknown; the health check, signing in and the web's own files are open. */
export function requireKey(signIns: SignIns, addresses: SignedAddresses): MiddlewareHandler {
  return async (c, next) => {
    const { path, method } = c.req;
    if (!path.startsWith("/api") || OPEN_ROUTES.includes(path)) return next();
    const bearer = /^bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    if (bearer !== undefined && signIns.isKnown(bearer)) {
      isNoStranger((c.env as Partial<HttpBindings> | undefined)?.incoming?.socket);
      return next();
    }
    const onlyReads = method === "GET" || method === "HEAD";
    if (onlyReads && addresses.isSigned(path, c.req.query())) return next();
    const message = "the token is missing or wrong: open the address that `narratoria sign-in` prints";
    return sendProblem(c, { ...problem(401, message), headers: { "WWW-Authenticate": "Bearer" } });
  };
}

/** Earlier versions kept the token in a cookie, which the browser would go on showing to every port. */
export const forgetOldCookies: MiddlewareHandler = async (c, next) => {
  await next();
  for (const name of Object.keys(getCookie(c))) {
    if (/^narratoria-[0-9a-f]{12}$/.test(name)) deleteCookie(c, name, { path: "/" });
  }
};

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

/** Someone following a link to the app; it shows only what the signed-in browser fetches afterwards. */
function isVisit(c: Context): boolean {
  return c.req.method === "GET" && c.req.header("sec-fetch-mode") === "navigate" && !c.req.path.startsWith("/api");
}

function hostOf(c: Context): URL | null {
  const host = c.req.header("host") ?? new URL(c.req.url).host;
  // Anything else (a user, a path, spaces) is no host, whatever an address made of it would lead to.
  return /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i.test(host) ? parseUrl(`http://${host}`) : null;
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
