/**
 * The address of a service: who may come in is taken out of it when it is mounted, and goes along as a header and as a
 * secret (`policy/equip-mount.ts`); what is left may be shown.
 */
import { Buffer } from "node:buffer";
import type { ModuleDescriptor } from "../../story/module-descriptor.ts";
import type { ServiceCredentials } from "../seams/resolved-tool.ts";

export interface OpenAddress {
  descriptor: ModuleDescriptor;
  credentials: ServiceCredentials | null;
}

export function takeCredentials(descriptor: ModuleDescriptor): OpenAddress {
  const { transport } = descriptor;
  if (transport.url === undefined) return { descriptor, credentials: null };
  const url = new URL(transport.url);
  const { username, password } = url;
  if (username === "" && password === "") return { descriptor, credentials: null };
  url.username = "";
  url.password = "";
  return {
    descriptor: { ...descriptor, transport: { ...transport, url: url.href } },
    credentials: credentialsOf(username, password),
  };
}

/** A name without a password is the secret itself: a token, as a rule. */
function credentialsOf(username: string, password: string): ServiceCredentials {
  const encoded = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64");
  const secret = password === "" ? username : password;
  const secrets = new Set([encoded, secret, decoded(secret)]);
  return { authorization: `Basic ${encoded}`, secrets: [...secrets] };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** For people: what stands in a query may be a key. */
export function shownAddress(address: string): string {
  const { origin, pathname, search } = new URL(address);
  return `${origin}${pathname}${search === "" ? "" : "?..."}`;
}
