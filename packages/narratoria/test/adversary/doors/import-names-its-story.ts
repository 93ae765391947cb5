import { zstdDecompressSync } from "node:zlib";
import type { Door } from "../door.ts";

export default {
  mustNot: "choose what runs here by a session file, by its folder or by its title",
  attack: async (host) => {
    const session = await host.begin();
    const headers = { authorization: `Bearer ${host.token}` };
    const answer = await fetch(`${host.url}/api/sessions/${session}/export`, { headers });
    const file = zstdDecompressSync(Buffer.from(await answer.arrayBuffer())).toString();
    const evil = host.story({ "story.ink": "Evil.\n+ [go] Evil. -> END\n" });
    const lines = file
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line.replaceAll('"dir":""', `"dir":${JSON.stringify(evil)}`)) as object);
    const { status, text } = await host.importLines(lines);
    if (status !== 201) return `it is not even read: ${status} ${text}`;
    const { sessionId } = JSON.parse(text) as { sessionId: string };
    const prompted = await host.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "light" });
    return prompted.status === 409 ? null : `it is played: ${JSON.stringify(prompted)}`;
  },
} satisfies Door;
