import type { Door } from "../door.ts";

export default {
  mustNot: "keep the host busy with headers, expectations and methods it does not know",
  attack: async (host) => {
    const attempts = [
      `GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${"a".repeat(1_000_000)}\r\n\r\n`,
      `GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n${"X: a\r\n".repeat(20_000)}Connection: close\r\n\r\n`,
      `GET /${"a".repeat(1_000_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
      `POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 200-maybe\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      `OPTIONS /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\nConnection: close\r\n\r\n`,
      `TRACE / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
      `HEAD /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
      `CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
    ];
    for (const bytes of attempts) {
      const answer = await host.raw(bytes);
      if (/^HTTP\/1.1 (?:2|5)|access-control-allow/i.test(answer) && !bytes.startsWith("GET /api/health"))
        return `${bytes.slice(0, 60)}: ${answer.slice(0, 200)}`;
    }
    return null;
  },
} satisfies Door;
