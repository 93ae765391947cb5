import type { Door } from "../door.ts";

const HOST = "Host: 127.0.0.1\r\n";

export default {
  mustNot: "have a request read that was hidden in the body of another, or an answer for no host of ours",
  attack: async (host) => {
    const hidden = `GET /api/sessions HTTP/1.1\r\n${HOST}Authorization: Bearer ${host.token}\r\nConnection: close\r\n\r\n`;
    const post = `POST /api/sign-in HTTP/1.1\r\n${HOST}`;
    const attempts = [
      `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
      `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
      `${post}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
      `${post}Content-Length: +0\r\n\r\n${hidden}`,
      `GET /api/health HTTP/1.1\r\n${HOST}X: a\rAuthorization: Bearer ${host.token}\r\n\r\n`,
      `GET /api/sessions HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${host.token}\r\nConnection: close\r\n\r\n`,
      `GET http://evil.example/api/sessions HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    ];
    for (const bytes of attempts) {
      const answer = await host.raw(bytes);
      if (/"sessionId"|HTTP\/1.1 200/.test(answer)) return `${bytes.slice(0, 90)}: ${answer.slice(0, 90)}`;
    }
    return null;
  },
} satisfies Door;
