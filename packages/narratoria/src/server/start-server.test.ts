import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { Hono } from "hono";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "./start-server.ts";

async function serve(mostConnections: number): Promise<(agent: Agent) => Promise<IncomingMessage>> {
  const app = new Hono().get("/", (context) => context.text("here"));
  const server = await startServer(app, "127.0.0.1", 0, mostConnections);
  if ("kind" in server) throw new Error(server.message);
  onTestFinished(() => server.close());
  return async (agent) => {
    const [answer] = (await once(get({ port: server.port, host: "127.0.0.1", agent }), "response")) as [
      IncomingMessage,
    ];
    answer.resume();
    await once(answer, "end");
    return answer;
  };
}

function resting(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

test("a connection may rest far longer than anybody polls", async () => {
  const ask = await serve(Infinity);
  expect((await ask(resting())).headers["keep-alive"]).toBe("timeout=75");
});

test("connections that rest make room for one that asks, before anybody is refused", async () => {
  const ask = await serve(2);
  const agents = [resting(), resting(), resting(), resting()];
  for (const agent of agents) expect((await ask(agent)).statusCode).toBe(200);
});
