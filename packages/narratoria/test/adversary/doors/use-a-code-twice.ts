import type { Door } from "../door.ts";

export default {
  mustNot: "sign in with a code that was used already",
  attack: async (host) => {
    const code = new URL(host.address).searchParams.get("code");
    const headers = { origin: host.url, "content-type": "application/json" };
    const body = JSON.stringify({ code });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => fetch(`${host.url}/api/sign-in`, { method: "POST", headers, body })),
    );
    const signedIn = answers.filter(({ status }) => status === 201).length;
    const cookies = answers.filter((answer) => answer.headers.has("set-cookie")).length;
    return signedIn <= 1 && cookies === 0 ? null : `${signedIn} signed in, ${cookies} cookies`;
  },
} satisfies Door;
