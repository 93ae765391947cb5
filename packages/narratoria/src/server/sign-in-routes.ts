/** The routes by which a browser signs in, and gets addresses for what it fetches without our header. */
import { z } from "zod";
import { problem } from "./problem.ts";
import { route, type Route } from "./route.ts";
import type { SignedAddresses } from "./signed-addresses.ts";
import type { Issued, SignIns } from "./sign-ins.ts";

/** Needs no key, as it gives one. */
export const SIGN_IN_PATH = "/api/sign-in";

const MOST_ADDRESSES = 200;
const issued = { expiresAt: z.string().describe("When it ends, as an ISO date.") };

export function signInRoutes(signIns: SignIns, addresses: SignedAddresses): Route[] {
  return [
    route({
      method: "post",
      path: SIGN_IN_PATH,
      name: "signIn",
      summary: "Exchanges a one-time code, or the token, for a key; only the app's own page may.",
      body: z.object({ code: z.string().max(200).optional(), token: z.string().max(2000).optional() }),
      status: 201,
      answers: z.object({ key: z.string(), ...issued }),
      handle: ({ c, body }) => {
        if (c.req.header("origin") === undefined) return problem(403, "only the app's own page signs in this way");
        const { code = "", token } = body;
        const key = signIns.signIn(token === undefined ? { code } : { token });
        return key === null ? problem(401, "this address was used already, or is too old") : answer("key", key);
      },
    }),
    route({
      method: "post",
      path: "/api/sign-in/codes",
      name: "newCode",
      summary: "A one-time code, for another browser: visiting `/?code=` signs it in.",
      status: 201,
      answers: z.object({ code: z.string(), ...issued }),
      handle: () => answer("code", signIns.newCode()),
    }),
    route({
      method: "post",
      path: "/api/signed-addresses",
      name: "signAddresses",
      summary: "Addresses of assets and exports that need no header for a while.",
      body: z.object({ paths: z.array(z.string().max(500)).max(MOST_ADDRESSES) }),
      status: 200,
      answers: z.object({ addresses: z.record(z.string(), z.string()), ...issued }),
      handle: ({ body: { paths } }) => {
        const expiresAt = new Date(addresses.until()).toISOString();
        const signed = paths.map((path) => [path, addresses.sign(path)] as const);
        const refused = signed.find(([, address]) => address === null)?.[0];
        if (refused !== undefined) return problem(400, `${refused} is neither an asset nor an export`);
        return { addresses: Object.fromEntries(signed), expiresAt };
      },
    }),
  ];
}

function answer(name: "key" | "code", { text, expiresAt }: Issued): object {
  return { [name]: text, expiresAt: new Date(expiresAt).toISOString() };
}
