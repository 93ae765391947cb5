import { connect, type Socket } from "node:net";
import type { Door } from "../door.ts";

const MANY = 2_500;

export default {
  mustNot: "keep others out by thousands of connections on which nothing, or never a whole request, is said",
  once: true,
  attack: async (host) => {
    const { hostname, port } = new URL(host.url);
    const beginnings = [
      "",
      "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ",
      "POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nContent-Length: 900\r\n\r\n{",
    ];
    let closed = 0;
    const sockets: Socket[] = [];
    for (let n = 0; n < MANY; n++) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket.on("error", () => {}).on("close", () => closed++));
      socket.write(beginnings[n % beginnings.length] ?? "");
      if (n % 100 === 99) await new Promise((go) => socket.once("connect", go).once("close", go));
    }
    // As long as the host waits for what they might have to say, and then more come.
    await new Promise((go) => setTimeout(go, 1_100));
    for (let n = 0; n < 100; n++) sockets.push(connect(Number(port), hostname).on("error", () => {}));
    const { status } = await host.api("GET", "/api/sessions");
    for (const socket of sockets) socket.destroy();
    if (status !== 200) return `who has a key is answered ${status}`;
    return closed > 0 ? null : "none of the silent ones had to go";
  },
} satisfies Door;
