/**
 * The server's routes, on a real socket, from requests as raw bytes: nothing is a bug of ours (500), every refusal is
 * JSON in our form and tells nothing of the machine, and without the token there is nothing to get and nothing to do.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { z } from "zod";
import { NOTHING_KNOWN } from "../../src/runtime/mounts/mount-health.ts";
import { createStoryShelf, foldersIn } from "../../src/runtime/mounts/story-shelf.ts";
import { NOTHING_GRANTED } from "../../src/runtime/policy/policy.ts";
import { createToolDirectory } from "../../src/runtime/policy/tool-directory.ts";
import { sealOf } from "../../src/runtime/session-file/file-line.ts";
import { createApp } from "../../src/server/create-app.ts";
import { startServer } from "../../src/server/start-server.ts";
import { everythingPending } from "../fake-clock.ts";
import { end, ok, planOf } from "../scripted-host.ts";
import { createKeptSessions } from "./kept-sessions.ts";
import { testPermissions } from "../test-permissions.ts";
import { httpRequests, REQUEST_SEEDS, TOKEN, type KnownRoute } from "./http-requests.ts";
import { exchange, type RawAnswer } from "./http-exchange.ts";
import { sometimesSpoiled, spoiled } from "./mutate-bytes.ts";
import { must, type FuzzTarget } from "./target.ts";

const SESSION_FILE = readFileSync(new URL("../fixtures/fuzz-seeds/session.ndjson", import.meta.url));
const SECRET = "what lies beside the app";
const PAGE = "<!doctype html><title>The app</title>";
const SCRIPT = "console.log('the app')";

export const httpRoutes: FuzzTarget = {
  few: 300,
  open: async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-fuzz-")));
    makeFolders(root);
    let place = await openPlace(root);
    const routes = await routesOf(place);
    return {
      inputs: fc.oneof({ weight: 3, arbitrary: sometimesSpoiled(httpRequests(routes)) }, spoiled(REQUEST_SEEDS)),
      try: async (input) => {
        const { answer, printed } = await listening(() => exchange(place.port, input));
        must(printed === "", () => `it tells of a bug: ${printed.slice(0, 1_000)}`);
        if (answer === null) return "hung up";
        const outcome = judge(input, answer, root);
        if (answer.status < 300 && !/^(?:GET|HEAD) /.test(input.toString("latin1"))) {
          // Whatever was done, the next request finds everything as it was.
          await place.close();
          place = await openPlace(root);
        }
        return outcome;
      },
      close: async () => {
        must((await exchange(place.port, Buffer.from(HEALTH)))?.status === 200, "it does not answer any more");
        await place.close();
        rmSync(root, { recursive: true, force: true });
      },
    };
  },
};

/** What is told to the terminal meanwhile: only of bugs, and there must be none. */
async function listening<T>(work: () => Promise<T>): Promise<{ answer: T; printed: string }> {
  const { write } = process.stderr;
  let printed = "";
  process.stderr.write = (text: Uint8Array | string): boolean => {
    printed += String(text);
    return true;
  };
  try {
    const answer = await work();
    await everythingPending();
    return { answer, printed };
  } finally {
    process.stderr.write = write;
  }
}

const HEALTH = "GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n";
const refusal = z.strictObject({
  error: z.strictObject({
    code: z.enum(["bad_request", "unauthorized", "forbidden", "not_found", "conflict"]),
    message: z.string().min(1),
    details: z.looseObject({}).optional(),
  }),
});
/** What is wrong with a message to the module is told as modules tell it. */
const moduleRefusal = z.union([refusal, refusal.extend({ ok: z.literal(false) })]);

function judge(input: Buffer, answer: RawAnswer, root: string): string {
  const { status, headers, body, rest } = answer;
  must(status < 500, () => `${status}: ${body}`);
  must(!`${body}${rest}`.includes(SECRET), "it shows what lies outside of the app");
  must(!/^HTTP\/1\.1 5\d\d /m.test(rest), () => `the second answer is ${rest.slice(0, 500)}`);
  const isOurs = headers.has("x-content-type-options");
  if (status >= 400 && isOurs && body !== "") {
    must(headers.get("content-type")?.startsWith("application/json") === true, "an error that is no JSON");
    const form = /^\w+ \/api\/module\//.test(input.toString("latin1")) ? moduleRefusal : refusal;
    const checked = form.safeParse(JSON.parse(body));
    must(checked.success, () => `an error that is not in our form: ${body}`);
    must(
      !body.includes(root) && !/\n? {4}at |node_modules|\.ts:\d/.test(body),
      () => `an error that tells of the machine: ${body}`,
    );
    const { code, message } = checked.data.error;
    return `${status} ${code} ${message.replaceAll(/[^a-z ]+/gi, "").slice(0, 30)}`;
  }
  // What is no HTTP is refused by Node, and an address that is none by what stands between Node and us: in no words.
  if (status >= 400) {
    must(body === "" && (isOurs || [400, 408, 413, 417, 431].includes(status)), () => `${status} of somebody: ${body}`);
    return `${status} in no words`;
  }
  if (status < 300 && !input.includes(TOKEN)) {
    const isPublic = body === "" || [PAGE, SCRIPT, '{"status":"ok"}'].includes(body);
    must(isPublic, () => `without the token it answers ${status} ${body.slice(0, 500)}`);
  }
  return `${status} ${headers.get("content-type") ?? "without a type"}`;
}

interface Place {
  port: number;
  app: ReturnType<typeof createApp>;
  close(): Promise<void>;
}

async function openPlace(root: string): Promise<Place> {
  const assets = join(root, "assets");
  const story = join(root, "stories/lamp");
  const narrator = { next: () => Promise.resolve(end("x")), close: () => Promise.resolve() };
  const kinds = {
    scripted: { defaultFile: null, open: () => Promise.resolve({ kind: "narrator", narrator } as const) },
  };
  const shelf = createStoryShelf(story, () => foldersIn(join(root, "stories")), kinds);
  let ids = 0;
  const host = createKeptSessions({
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("x") : planOf("lamp")),
    newId: () => `new-${++ids}`,
    shelf,
    assetDir: assets,
  });
  ok(await host.sessions.import(asFile(SESSION_FILE)));
  const permissions = testPermissions(NOTHING_GRANTED);
  const tools = createToolDirectory(() => shelf.list(), permissions, NOTHING_KNOWN);
  const app = createApp({ sessions: host.sessions, tools, token: TOKEN, webDir: join(root, "web") });
  const server = await startServer(app, "127.0.0.1", 0);
  if ("kind" in server) throw new Error(server.message);
  return {
    port: server.port,
    app,
    close: async () => {
      const closing = host.sessions.close();
      await server.close();
      await closing;
    },
  };
}

/** From the server's own description, so that a new route is fuzzed the day it is written. */
async function routesOf({ app }: Place): Promise<KnownRoute[]> {
  const response = await app.request("/api/openapi.json", { headers: { authorization: `Bearer ${TOKEN}` } });
  const { paths } = (await response.json()) as { paths: { [path: string]: { [method: string]: unknown } } };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
}

function makeFolders(root: string): void {
  for (const folder of ["web/assets", "stories/lamp", "assets"]) mkdirSync(join(root, folder), { recursive: true });
  const write = (file: string, text: string): void => writeFileSync(join(root, file), text);
  write("web/index.html", PAGE);
  write("web/assets/app.js", SCRIPT);
  write("secret.txt", SECRET);
  write("web/../web.txt", SECRET);
  const lamp = {
    name: "lamp",
    kind: "tool",
    protocol: "narratoria/0",
    transport: { type: "stdio", command: ["/bin/x"] },
  };
  const mounts = [{ ...lamp, capabilities: ["net.fetch", "fs.read:/srv"] }];
  write("stories/lamp/story.json", JSON.stringify({ title: "The Cellar", narrator: "scripted", mounts }));
}

async function* asFile(lines: Buffer): AsyncGenerator<Uint8Array> {
  const compressed = zstdCompressSync(lines);
  yield compressed;
  yield sealOf(createHash("sha256").update(compressed).digest("hex"));
}
