/** The app on a real port with fake sessions behind it, and a reader of server-sent events that keeps what it saw. */
import { get, type IncomingMessage } from "node:http";
import { createApp } from "../src/server/create-app.ts";
import { startServer, type RunningServer } from "../src/server/start-server.ts";
import { createFakeSessions, NO_TOOLS, type FakeSessions } from "./fake-sessions.ts";

export const TOKEN = "correct-horse";

type Sent = Omit<RequestInit, "headers"> & { headers?: { [name: string]: string } };

export interface ServedApp extends AsyncDisposable {
  sessions: FakeSessions;
  server: RunningServer;
  url: string;
  fetch: (path: string, init?: Sent) => Promise<Response>;
}

export async function serveApp(options: { webDir?: string } = {}): Promise<ServedApp> {
  const sessions = createFakeSessions();
  const server = await startServer(createApp({ sessions, tools: NO_TOOLS, token: TOKEN, ...options }), "127.0.0.1", 0);
  if ("kind" in server) throw new Error(server.message);
  const url = `http://127.0.0.1:${server.port}`;
  return {
    sessions,
    server,
    url,
    fetch: (path, init = {}) => {
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...init.headers };
      return fetch(url + path, { ...init, headers });
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

export interface SseReader {
  response: IncomingMessage;
  /** The numbers of the events seen. */
  ids: number[];
  text(): string;
  /** Settles when the text holds this; fails when the stream ends before. */
  sees(part: string): Promise<void>;
  ended: Promise<void>;
  close(): void;
}

export async function readEvents(url: string, headers: { [name: string]: string } = {}): Promise<SseReader> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, headers: { authorization: `Bearer ${TOKEN}`, ...headers } }, resolve).on("error", reject);
  });
  const chunks: string[] = [];
  let changed: () => void = () => {};
  response.setEncoding("utf8").on("data", (chunk: string) => {
    chunks.push(chunk);
    changed();
  });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    response
      .on("error", () => {})
      .on("close", () => {
        hasEnded = true;
        changed();
        resolve();
      });
  });
  return {
    response,
    get ids() {
      return [...chunks.join("").matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
    },
    text: () => chunks.join(""),
    sees: async (part) => {
      // Only what is new, and the end of what was there: joining megabytes again and again takes seconds.
      for (
        let from = 0;
        !chunks
          .slice(Math.max(0, from - 1))
          .join("")
          .includes(part);
      ) {
        if (hasEnded) throw new Error(`the stream ended without ${JSON.stringify(part)}`);
        from = chunks.length;
        await new Promise<void>((resolve) => (changed = resolve));
      }
    },
    ended,
    close: () => response.destroy(),
  };
}
