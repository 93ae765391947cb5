import type { Door } from "../door.ts";

const HEADER = { kind: "header", format: "narratoria-session", version: 1, sessionId: "s", title: "t", story: "x" };

export default {
  mustNot: "fill the disk, or make a session, by a file that unpacks to very many bytes or says what it is not",
  once: true,
  attack: async (host) => {
    const start = { id: "e", ts: 1, component: "kernel", session_id: "s", event: "session:start" };
    const attempts: object[][] = [
      [HEADER, ...Array.from({ length: 280 }, () => ({ kind: "chunk", base64: "A".repeat(1_000_000) }))],
      [HEADER, ...Array.from({ length: 5 }, () => ({ kind: "event", event: start }))],
      [HEADER, { kind: "asset", sha256: "../../../../etc/passwd" }],
      [HEADER, { kind: "event", event: { ...start, session_id: "../../x", data: { plan: 7 } } }],
      [{ ...HEADER, version: 1e300 }],
      [{ ...HEADER, format: { toString: 1 } }],
    ];
    for (const lines of attempts) {
      const { status, text } = await host.importLines(lines);
      if (status !== 400 || /\n\s+at |node_modules/.test(text)) return `${status} ${text.slice(0, 200)}`;
    }
    const { body } = await host.api("GET", "/api/sessions");
    return (body as { sessionId: string }[]).some(({ sessionId }) => sessionId === "s") ? "a session was made" : null;
  },
} satisfies Door;
