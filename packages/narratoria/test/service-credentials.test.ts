/** A service whose address holds who may come in: the service is told, and nobody else ever sees it. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { zstdDecompressSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { openSessions, type Host } from "../src/create-narratoria.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { narratoria } from "./narratoria-command.ts";
import { ok } from "./scripted-host.ts";

const PASSWORD = "sword/fish 7";
const WRITTEN = encodeURIComponent(PASSWORD);
const BASIC = Buffer.from(`ada:${PASSWORD}`).toString("base64");
const KEPT = [PASSWORD, WRITTEN, BASIC, "the-key"];

const servers: Server[] = [];
const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

test("[A1.2] [K1.6] credentials become a header, the query stays; neither is in the log, the tools or the file", async () => {
  const { address, asked } = await serve(sayWhatWasSent);
  const mounts = [moduleAt(address("mirror")), hookAt(address("listener")), pythonAt(address("louder"))];
  const seen = await play(mounts, ["mirror", "louder"]);
  expect(seen).toContain('"you sent [secret]"');
  expect(asked.filter(({ header }) => header !== `Basic ${BASIC}`)).toEqual([]);
  expect([...new Set(asked.map(({ url }) => url))].toSorted()).toEqual([
    "/listener/describe?key=the-key",
    "/listener/invoke?key=the-key",
    "/louder?key=the-key",
    "/mirror/describe?key=the-key",
    "/mirror/invoke?key=the-key",
  ]);
  for (const kept of KEPT) expect(seen).not.toContain(kept);
});

test("[K1.6] nor in what is told when the service cannot be reached, or sends elsewhere", async () => {
  const { address } = await serve(({ headers: { authorization = "" } }, response) => {
    response.writeHead(307, { location: `http://${authorization}@127.0.0.1/` }).end(`no: ${authorization} ${PASSWORD}`);
  });
  const gone = new URL(address("gone"));
  gone.port = "1";
  const mounts = [moduleAt(address("mirror")), moduleAt(gone.href, "gone"), pythonAt(gone.href)];
  const seen = await play(mounts, ["mirror", "gone", "louder"]);
  expect(seen).toContain("http://127.0.0.1:1/gone cannot be reached");
  for (const kept of KEPT) expect(seen).not.toContain(kept);
});

test("[Z1.5] who was allowed is asked about again with other credentials", async () => {
  const { address } = await serve(sayWhatWasSent);
  const file = (url: string): string => JSON.stringify({ mounts: [moduleAt(url)] });
  const storyDir = makeStoryFolder({ "plans.json": "[]", "story.json": file(address("mirror")) });
  const host = await open(storyDir);
  ok(await host.tools.grant({ name: "mirror", story: storyDir }, "net.fetch"));
  const grants = async (): Promise<unknown> => (await host.tools.list()).find(({ name }) => name === "mirror")?.grants;
  expect(await grants()).toEqual(["net.fetch"]);
  writeFileSync(join(storyDir, "story.json"), file(address("mirror").replace(WRITTEN, "another")));
  expect(await grants()).toEqual([]);
});

test("[K1.6] a token alone is as secret as a password, also where one plan is run", async () => {
  const { address, asked } = await serve(sayWhatWasSent);
  const url = address("mirror").replace(`ada:${WRITTEN}`, "tok-1234567");
  const story = makeStoryFolder({
    "story.json": JSON.stringify({ mounts: [moduleAt(url)] }),
    "plan.json": JSON.stringify({ requestId: "p", narrative: "", tools: [{ toolId: "m", toolPath: "mirror" }] }),
    "policy.json": JSON.stringify({ grants: { mirror: ["net.fetch"] } }),
  });
  const [plan, policy] = [join(story, "plan.json"), join(story, "policy.json")];
  const { stdout, stderr } = await narratoria(["run", plan, "--policy", policy, "--no-sandbox", "--events"]);
  expect(asked.at(-1)?.header).toBe(`Basic ${Buffer.from("tok-1234567:").toString("base64")}`);
  expect(stdout).toContain("you sent [secret]");
  expect(stdout + stderr).not.toContain("tok-1234567");
});

function moduleAt(url: string, name = "mirror"): JsonObject {
  return { name, kind: "tool", protocol: "amplifier/1", transport: { type: "http", url }, capabilities: [] };
}

function hookAt(url: string): JsonObject {
  return { ...moduleAt(url, "listener"), kind: "hook", events: ["turn:*"] };
}

function pythonAt(url: string): JsonObject {
  return { ...moduleAt(url, "louder"), protocol: "namel3ss/1", entry: "louder:shout" };
}

interface Asked {
  url: string;
  header: string | undefined;
}

async function serve(listener: RequestListener): Promise<{ address(path: string): string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? "", header: request.headers.authorization });
    request.resume().once("end", () => listener(request, response));
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { address: (path) => `http://ada:${WRITTEN}@127.0.0.1:${port}/${path}?key=the-key`, asked };
}

/** Whatever it is asked, it tells who it was told may come in. */
const sayWhatWasSent: RequestListener = ({ url = "", headers }, response) => {
  const sent = (headers.authorization ?? "").slice("Basic ".length);
  const [, name = "", method] = url.split(/[/?]/);
  const kind = name === "listener" ? "hook" : "tool";
  const description = { name, kind, capabilities: [], inputs: { description: `for ${sent}` } };
  response.end(JSON.stringify(method === "describe" ? description : { ok: true, result: `you sent ${sent}` }));
};

async function open(storyDir: string, names: readonly string[] = []): Promise<Host> {
  const grants = Object.fromEntries(names.map((name) => [name, ["net.fetch"]]));
  const policy = { grants, sandbox: "any" as const };
  const host = await openSessions({ storyDir, sandbox: "none", policy });
  hosts.push(host);
  return host;
}

/** Everything that can be seen of a turn in which these tools were called, and of its session. */
async function play(mounts: JsonObject[], tools: string[]): Promise<string> {
  const once = { required: false, retryPolicy: { maxRetries: 0 } };
  const plan = { narrative: "", tools: tools.map((name) => ({ toolId: name, toolPath: name, ...once })) };
  const plans = [{ match: "go", plan, narrative: "Gone." }];
  const storyDir = makeStoryFolder({ "plans.json": JSON.stringify(plans), "story.json": JSON.stringify({ mounts }) });
  const host = await open(
    storyDir,
    mounts.map(({ name }) => name as string),
  );
  const { sessionId } = ok(await host.create({}));
  await host.idle(sessionId);
  const { turnId } = ok(await host.prompt(sessionId, "go"));
  await host.turnEnded(sessionId, turnId);
  const shown = [ok(await host.turn(sessionId, turnId)), ok(await host.view(sessionId)), await host.tools.list()];
  const file = await buffer(ok(await host.export(sessionId)));
  return JSON.stringify(shown) + zstdDecompressSync(file).toString("utf8");
}
