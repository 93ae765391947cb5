/** Gives the app a port, and takes it away again without leaving anyone hanging. */
import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";

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
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}

export async function startServer(app: Hono, host: string, port: number): Promise<ServerStart> {
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  // An import may take long to arrive; headers may not.
  server.requestTimeout = 0;
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return { kind: "not_started", code, message };
  }

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
