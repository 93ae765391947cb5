/**
 * The token that scripts know and that signs browsers in: made once and kept, or given. `narratoria token` shows the kept
 * one; a new one ends every sign-in that the old one gave.
 */
import { randomBytes } from "node:crypto";
import { BlockList, isIPv6 } from "node:net";
import { join } from "node:path";
import { DATA_FILES, readPrivateFile, writePrivateFile } from "../data.ts";
import { bitsOfToken, STRONG_BITS } from "./token-strength.ts";

export function keptToken(dataDir: string): string {
  const kept = readPrivateFile(join(dataDir, DATA_FILES.token))?.trim() ?? "";
  return /^[0-9a-f]{64}$/.test(kept) ? kept : newToken(dataDir);
}

export function newToken(dataDir: string): string {
  const token = randomBytes(32).toString("hex");
  writePrivateFile(join(dataDir, DATA_FILES.token), `${token}\n`);
  return token;
}

/** Null, or why this token cannot be used on this host. */
export function objectToToken(token: string, host: string): string | null {
  if (!/^[!-~]+$/.test(token)) return "a token is letters, digits and signs without spaces";
  if (isLoopback(host) || bitsOfToken(token) >= STRONG_BITS) return null;
  return (
    `on ${host} others can try tokens as fast as they like, and this one is too easy to find: leave it out, and one ` +
    "is made, or give at least 32 random hexadecimal digits"
  );
}

/** Only this machine can reach it. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === "localhost") return true;
  return LOOPBACK.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");
