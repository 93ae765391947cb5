/**
 * Addresses for what the browser fetches by itself: pictures, sounds, films, downloads. Each is signed by the server
 * and works for a while; those asked for at once go in one request.
 */
import { useCallback, useEffect, useState } from "react";
import { api } from "./api.ts";

interface Signed {
  address: string;
  expiresAt: number;
}

const KEPT = "narratoria:addresses";
const MOST_KEPT = 300;
const MOST_AT_ONCE = 200;
/** An address that ends sooner than this is not begun with. */
const LEAST_LEFT_MS = 5 * 60 * 1000;

const known = readKept();
let wanted = new Map<string, (address: string | null) => void>();
const asking = new Map<string, Promise<string | null>>();

/** Null until it is there. `renew` settles with whether there is another one. */
export function useSignedAddress(path: string): { address: string | null; renew: () => Promise<boolean> } {
  const [address, setAddress] = useState(() => usable(path));
  useEffect(() => {
    let isShown = true;
    void signedAddress(path).then((signed) => isShown && setAddress(signed));
    return () => {
      isShown = false;
    };
  }, [path]);
  const renew = useCallback(async () => {
    const before = known.get(path)?.address;
    known.delete(path);
    const signed = await signedAddress(path);
    setAddress(signed);
    return signed !== null && signed !== before;
  }, [path]);
  return { address, renew };
}

/** Null when the server refuses. Where it cannot be reached, the last one known: the browser may still have what it led to. */
export function signedAddress(path: string): Promise<string | null> {
  const kept = usable(path);
  if (kept !== null) return Promise.resolve(kept);
  const already = asking.get(path);
  if (already !== undefined) return already;
  const promise = new Promise<string | null>((settle) => {
    if (wanted.size === 0) queueMicrotask(() => void ask());
    wanted.set(path, settle);
    if (wanted.size === MOST_AT_ONCE) void ask();
  }).finally(() => asking.delete(path));
  asking.set(path, promise);
  return promise;
}

async function ask(): Promise<void> {
  const asked = wanted;
  wanted = new Map();
  if (asked.size === 0) return;
  const answer = await api.signAddresses([...asked.keys()]);
  if (answer.kind === "ok") {
    const expiresAt = Date.parse(answer.value.expiresAt);
    for (const [path, address] of Object.entries(answer.value.addresses)) keep(path, { address, expiresAt });
    writeKept();
  }
  for (const [path, settle] of asked) settle(known.get(path)?.address ?? null);
}

function usable(path: string): string | null {
  const signed = known.get(path);
  return signed !== undefined && signed.expiresAt - Date.now() > LEAST_LEFT_MS ? signed.address : null;
}

function keep(path: string, signed: Signed): void {
  known.delete(path);
  known.set(path, signed);
}

function readKept(): Map<string, Signed> {
  try {
    return new Map(JSON.parse(localStorage.getItem(KEPT) ?? "[]") as [string, Signed][]);
  } catch {
    return new Map();
  }
}

function writeKept(): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify([...known].slice(-MOST_KEPT)));
  } catch {
    // They are only missed when the server cannot be reached.
  }
}
