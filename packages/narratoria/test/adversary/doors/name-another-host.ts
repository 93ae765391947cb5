import type { Door } from "../door.ts";

const NAMES = [
  "evil.example",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "evil.example@127.0.0.1",
  "127.0.0.1@evil.example",
  "127.0.0.1#evil.example",
  "127.0.0.1/evil.example",
  "127.0.0.1 evil.example",
  "0.0.0.0",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[fe80::1%25lo]",
  "169.254.169.254",
  "narratoria",
  "",
];

export default {
  mustNot: "use the server by a name that leads here and is not its own, or from a page elsewhere",
  attack: async (host) => {
    const request = (headers: string): string =>
      `GET /api/sessions HTTP/1.1\r\n${headers}Authorization: Bearer ${host.token}\r\nConnection: close\r\n\r\n`;
    const { port } = new URL(host.url);
    const foreign = [
      "http://evil.example",
      "null",
      "https://127.0.0.1",
      `http://127.0.0.1:${Number(port) + 1}`,
      "file://",
    ];
    const attempts = [
      ...NAMES.flatMap((name) => [`Host: ${name}\r\n`, `Host: ${name}:${port}\r\n`]),
      "Host: 127.0.0.1\r\nHost: evil.example\r\n",
      ...foreign.map((origin) => `Host: 127.0.0.1:${port}\r\nOrigin: ${origin}\r\n`),
      `Host: 127.0.0.1:${port}\r\nSec-Fetch-Site: cross-site\r\n`,
      `Host: 127.0.0.1:${port}\r\nSec-Fetch-Site: same-site\r\n`,
    ];
    for (const headers of attempts) {
      const answer = await host.raw(request(headers));
      if (/^HTTP\/1.1 [25]/.test(answer)) return `${JSON.stringify(headers)}: ${answer.slice(0, 60)}`;
    }
    const own = await host.raw(request(`Host: 127.0.0.1:${port}\r\n`));
    return own.startsWith("HTTP/1.1 200") ? null : `its own name does not lead there either: ${own.slice(0, 60)}`;
  },
} satisfies Door;
