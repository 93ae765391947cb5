import { zstdDecompressSync } from "node:zlib";
import type { Door } from "../door.ts";

/** What a right file is made into: ids, counts, names and depths that no host writes. */
const ALTERED: [what: string, alter: (text: string) => string][] = [
  ["an id with slashes", (text) => text.replaceAll(/"session_id":"[^"]+"/g, '"session_id":"../../../etc/x"')],
  ["an id of a prototype", (text) => text.replaceAll(/"turnId":"[^"]+"/g, '"turnId":"__proto__"')],
  ["the largest numbers", (text) => text.replaceAll(/"number":\d+/g, '"number":9007199254740993')],
  ["negative numbers", (text) => text.replaceAll(/"number":\d+/g, '"number":-1')],
  ["doubled names", (text) => text.replaceAll('"event":"turn:start"', '"event":"turn:end","event":"turn:start"')],
  ["every line twice", (text) => text.replaceAll(/^.*$/gm, "$&\n$&")],
  ["a time that cannot be", (text) => text.replaceAll(/"ts":[\d.]+/g, '"ts":1e308')],
  ["a time before all others", (text) => text.replaceAll(/"ts":[\d.]+/g, '"ts":-1e308')],
  ["depth", (text) => text.replace('"plan":{', `"plan":{"x":${"[".repeat(50_000)}${"]".repeat(50_000)},`)],
];

export default {
  mustNot: "break the host or what it lists by a session file of odd ids, counts, names and depths",
  once: true,
  attack: async (host) => {
    const session = (await host.begin()) ?? "";
    await host.say(session, "light");
    const headers = { authorization: `Bearer ${host.token}` };
    const answer = await fetch(`${host.url}/api/sessions/${session}/export`, { headers });
    const right = zstdDecompressSync(Buffer.from(await answer.arrayBuffer())).toString();
    for (const [what, alter] of ALTERED) {
      const altered = alter(right.trimEnd());
      if (altered === right.trimEnd()) return `${what}: the file does not have it`;
      const { status, text } = await host.importText(`${altered}\n`);
      if (status >= 500 || /\n\s+at |node_modules/.test(text)) return `${what}: ${status} ${text.slice(0, 200)}`;
      const { status: listed, body } = await host.api("GET", "/api/sessions");
      if (listed !== 200) return `${what}: the sessions are no longer listed`;
      for (const { sessionId } of body as { sessionId: string }[])
        if ((await host.api("GET", `/api/sessions/${encodeURIComponent(sessionId)}`)).status !== 200)
          return `${what}: ${sessionId} can no longer be read`;
    }
    const { exitCode, stderr } = await host.command(["sessions", "list", "--data", `${host.folder}/data`]);
    return exitCode === 0 ? null : `the sessions cannot be listed: ${stderr}`;
  },
} satisfies Door;
