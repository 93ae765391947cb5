import type { Door } from "../door.ts";

export default {
  mustNot: "use the API with the token anywhere but in its header",
  attack: async (host) => {
    const { token, url } = host;
    const cookie = { cookie: `token=${token}; narratoria=${token}; narratoria-0123456789ab=${token}` };
    const attempts: [string, Record<string, string>][] = [
      ["/api/sessions", cookie],
      [`/api/sessions?token=${token}`, {}],
      [`/api/sessions?code=${token}`, {}],
      ["/api/sessions", { authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` }],
      ["/api/sessions", { authorization: `Bearer ${token.slice(0, -1)}` }],
      ["/api/sessions", { authorization: `Bearer ${token.toUpperCase()}` }],
    ];
    for (const [path, headers] of attempts) {
      const { status } = await fetch(url + path, { headers });
      if (status !== 401) return `${path}: ${status}`;
    }
    return null;
  },
} satisfies Door;
