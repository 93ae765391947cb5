/**
 * How a browser comes to be trusted: a one-time code, printed or opened, is exchanged for a key that only this origin
 * keeps. Cookies would go to every port of the machine. `guard.ts` asks whether a bearer is known.
 *
 * 1. A code works once, and for some minutes; in a history or a terminal's scrollback it is worth nothing.
 * 2. Keys are kept hashed, with the token as the hash's key: a new token ends them all.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { KEEPS_NO_KEYS, type KeptKey, type KeyKeeper } from "../data.ts";

export interface SignIns {
  newCode(): Issued;
  /** For programs of this user on this machine; it ends with this process. */
  readonly ownKey: string;
  /** Null: the code was used, is too old, or never was; or the token is wrong. */
  signIn(by: { code: string } | { token: string }): Issued | null;
  /** The token itself, the key of somebody who signed in, or our own. */
  isKnown(bearer: string): boolean;
}

export interface Issued {
  text: string;
  expiresAt: number;
}

export interface SignInOptions {
  token: string;
  keeper?: KeyKeeper;
  now?: () => number;
}

export const CODE_LIVES_MS = 10 * 60 * 1000;
const KEY_LIVES_MS = 60 * 24 * 60 * 60 * 1000;
const MOST_CODES = 20;
const MOST_KEYS = 100;

export function createSignIns({ token, keeper = KEEPS_NO_KEYS, now = Date.now }: SignInOptions): SignIns {
  /** By what they are hashed to: finding one by its text would tell by the time it takes how much of it was right. */
  const codes = new Map<string, number>();
  const keys = new Map(
    keeper
      .load()
      .filter(({ expiresAt }) => expiresAt > now())
      .map(({ hash, expiresAt }) => [hash, expiresAt]),
  );

  const ownKey = randomBytes(32).toString("base64url");

  function newCode(): Issued {
    const code = { text: randomBytes(24).toString("base64url"), expiresAt: now() + CODE_LIVES_MS };
    codes.set(hashOf(code.text), code.expiresAt);
    forgetOldest(codes, MOST_CODES);
    return code;
  }

  function signIn(by: { code: string } | { token: string }): Issued | null {
    if ("token" in by ? !isSame(by.token, token) : !useUp(by.code)) return null;
    const key = { text: randomBytes(32).toString("base64url"), expiresAt: now() + KEY_LIVES_MS };
    keep(hashOf(key.text), key.expiresAt);
    return key;
  }

  function useUp(code: string): boolean {
    const hash = hashOf(code);
    const expiresAt = codes.get(hash) ?? 0;
    codes.delete(hash);
    return expiresAt > now();
  }

  function isKnown(bearer: string): boolean {
    if (isSame(bearer, token) || isSame(bearer, ownKey)) return true;
    const hash = hashOf(bearer);
    const left = (keys.get(hash) ?? 0) - now();
    if (left <= 0) return false;
    // Whoever still comes stays signed in; written seldom.
    if (left < KEY_LIVES_MS / 2) keep(hash, now() + KEY_LIVES_MS);
    return true;
  }

  function keep(hash: string, expiresAt: number): void {
    keys.delete(hash);
    keys.set(hash, expiresAt);
    for (const [old, end] of keys) if (end <= now()) keys.delete(old);
    forgetOldest(keys, MOST_KEYS);
    keeper.save([...keys].map(([each, end]): KeptKey => ({ hash: each, expiresAt: end })));
  }

  function hashOf(text: string): string {
    return createHmac("sha256", token).update(text).digest("hex");
  }

  return { newCode, signIn, isKnown, ownKey };
}

/** A map remembers in which order things came. */
function forgetOldest(map: Map<string, number>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}

function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
