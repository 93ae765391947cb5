/** Gives the app a port, and takes it away again without leaving anyone hanging. */
import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createAdaptorServer, getRequestListener, type HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import { createStrangers } from "./strangers.ts";

export interface RunningServer {
  port: number;
  /** No new connections; the ones there are go on. */
  stopAccepting(): void;
  /** Waits for the last answers, but not for clients that do not read them. */
  close(): Promise<void>;
}

export type ServerStart = RunningServer | { kind: "not_started"; code: string; message: string };

const LAST_WORDS_MS = 1_000;

/** The app as what `http.createServer`, or a framework on top of it, takes. Below a path it must be given the rest of it. */
export function requestListener(app: Hono): RequestListener {
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return (request, response) => void answer(request, response);
}

/** Connections beyond those that are served, for as long as it takes to say so. */
const REFUSED_AT_ONCE = 16;
/** From here on those go that have not said who they are. */
const MANY_CONNECTIONS = 2_000;

/**
 * How long a connection may rest between two questions. Whoever asks with one that is just being closed is cut off, and on a
 * busy machine that is often; a client that polls every few seconds must never come near it.
 */
const RESTING_MS = 75_000;

export async function startServer(
  app: Hono,
  host: string,
  port: number,
  mostConnections: number = Infinity,
): Promise<ServerStart> {
  const beyond = new WeakSet<Socket>();
  const server = createAdaptorServer({
    fetch: (request, env) => (isBeyond(socketOf(env)) ? tooManyConnections() : app.fetch(request, env)),
    overrideGlobalObjects: false,
  }) as Server;
  const strangers = createStrangers();
  const many = Math.min(MANY_CONNECTIONS, Math.floor((mostConnections * 3) / 4));
  let open = 0;
  server.on("connection", (socket) => {
    if (++open > many) strangers.sendAwayOldest();
    strangers.enter(socket);
    if (open > mostConnections) {
      // Whoever rests makes room for whoever asks.
      server.closeIdleConnections();
      beyond.add(socket);
    }
    socket.once("close", () => open--);
  });
  /** Asked when its question is there: until then those that rested are gone. */
  function isBeyond(socket: Socket): boolean {
    if (open <= mostConnections) beyond.delete(socket);
    return beyond.has(socket);
  }
  if (Number.isFinite(mostConnections)) server.maxConnections = mostConnections + REFUSED_AT_ONCE;
  // An import may take long to arrive; headers may not.
  server.requestTimeout = 0;
  server.keepAliveTimeout = RESTING_MS;
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return { kind: "not_started", code, message };
  }

  // Out of descriptors: whoever it was has been turned away, and the next one may come in.
  server.on("error", () => {});

  let closed: Promise<unknown> | undefined;
  function stopAccepting(): void {
    closed ??= new Promise((resolve) => server.close(resolve));
  }
  return {
    port: (server.address() as AddressInfo).port,
    stopAccepting,
    close: async () => {
      stopAccepting();
      const giveUp = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS);
      // A connection that was busy when we stopped accepting is kept alive after its answer.
      server.closeIdleConnections();
      const sweep = setInterval(() => server.closeIdleConnections(), 20);
      await closed;
      clearTimeout(giveUp);
      clearInterval(sweep);
    },
  };
}

function socketOf(env: unknown): Socket {
  return (env as HttpBindings).incoming.socket;
}

function tooManyConnections(): Response {
  const message = "More connections are open than can be served at once. Close some pages, or try again later.";
  return Response.json(
    { error: { code: "busy", message } },
    { status: 503, headers: { Connection: "close", "Retry-After": "5" } },
  );
}
