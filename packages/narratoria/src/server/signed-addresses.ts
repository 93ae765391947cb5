/**
 * Addresses that carry their own permission for a while: pictures, sounds and downloads are asked for by the browser
 * itself, which sends no header of ours. The page gets them from `sign-in-routes.ts`, `guard.ts` lets them pass.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export interface SignedAddresses {
  /** Null: no address of this kind is ever signed. */
  sign(path: string): string | null;
  /** When what is signed now ends, in milliseconds since 1970. */
  until(): number;
  isSigned(path: string, query: { [name: string]: string }): boolean;
}

/** What can only be read, and by its id. */
const SIGNABLE = /^\/api\/(?:assets\/[\w.:-]{1,200}|sessions\/[\w.:-]{1,200}\/export)$/;
/** Within a period an address stays the same, so that the browser's own cache knows it again. */
const PERIOD_MS = 15 * 60 * 1000;

export function createSignedAddresses(now: () => number = Date.now): SignedAddresses {
  // Of this process alone: what is shown asks anew after a restart.
  const secret = randomBytes(32);

  function signatureOf(path: string, until: string): Buffer {
    return createHmac("sha256", secret).update(`${until} ${path}`).digest();
  }
  /** The end of the next period: one to two periods from now. */
  const until = (): number => (Math.floor(now() / PERIOD_MS) + 2) * PERIOD_MS;

  return {
    until,
    sign: (path) => {
      if (!SIGNABLE.test(path)) return null;
      const end = String(until());
      return `${path}?until=${end}&signature=${signatureOf(path, end).toString("base64url")}`;
    },
    isSigned: (path, { until: end = "", signature = "" }) => {
      if (!SIGNABLE.test(path) || !/^\d{1,16}$/.test(end) || Number(end) <= now()) return false;
      const given = Buffer.from(signature, "base64url");
      const right = signatureOf(path, end);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
