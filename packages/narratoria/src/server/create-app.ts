/**
 * The HTTP interface over the sessions, as a hono app that needs no port: `start-server.ts` gives it one. Every request
 * passes the guard first; what goes wrong anywhere ends in `problem.ts`.
 */
import { Hono, type MiddlewareHandler } from "hono";
import { z } from "zod";
import type { SessionService, ToolDirectory } from "../index.ts";
import { forgetOldCookies, ownHosts, refuseForeignRequests, requireKey } from "./guard.ts";
import { hostRoutes } from "./host-routes.ts";
import { moduleRoutes } from "./module-routes.ts";
import { describeRoutes } from "./openapi.ts";
import { problem, sendProblem, sendThrown } from "./problem.ts";
import { addRoutes, route, type Route } from "./route.ts";
import { sessionRoutes } from "./session-routes.ts";
import { signInRoutes } from "./sign-in-routes.ts";
import { createSignedAddresses } from "./signed-addresses.ts";
import { createSignIns, type SignIns } from "./sign-ins.ts";
import { turnRoutes } from "./turn-routes.ts";
import { addSecurityHeaders, addWebFiles } from "./web-files.ts";

export interface AppOptions {
  sessions: SessionService;
  tools?: ToolDirectory;
  token: string;
  /** Who signed in; without it nobody stays so over a restart. */
  signIns?: SignIns;
  /** The host it listens on, which it then answers to besides loopback. */
  host?: string;
  /** How many may follow sessions at once. */
  mostReaders?: number;
  /** The folder of the built web app; without it there is only the API. */
  webDir?: string;
}

export function createApp({ sessions, tools, token, host = "127.0.0.1", webDir, ...options }: AppOptions): Hono {
  const app = new Hono();
  const signIns = options.signIns ?? createSignIns({ token });
  const addresses = createSignedAddresses();
  app.onError((thrown, c) => sendThrown(c, thrown));
  app.notFound((c) => sendProblem(c, problem(404, "there is nothing at this address")));
  app.use(addSecurityHeaders, refuseForeignRequests(ownHosts(host)), forgetOldCookies, requireKey(signIns, addresses));
  app.use(refuseWholePaths);
  const first = [...signInRoutes(signIns, addresses), ...hostRoutes(sessions, tools)];
  addRoutes(app, allRoutes(first, sessions, options.mostReaders ?? Infinity));
  if (webDir !== undefined) addWebFiles(app, webDir);
  return app;
}

/** Put below a path without being given the rest of it, the guard would take every route for a file of the page. */
const refuseWholePaths: MiddlewareHandler = async (c, next) => {
  if (!/^(?!\/api\/).*\/api(\/|$)/.test(c.req.path)) return next();
  return sendProblem(c, problem(404, "below a path of its own this app has to be given the rest of the path"));
};

function allRoutes(first: Route[], sessions: SessionService, mostReaders: number): Route[] {
  const routes = [
    ...first,
    ...sessionRoutes(sessions),
    ...turnRoutes(sessions, mostReaders),
    ...moduleRoutes(sessions),
  ];
  let description: object | undefined;
  const openApi: Route = route({
    method: "get",
    path: "/api/openapi.json",
    name: "openApi",
    summary: "This document.",
    status: 200,
    answers: z.object({ openapi: z.string() }),
    handle: (): object => (description ??= describeRoutes([...routes, openApi])),
  });
  return [...routes, openApi];
}
