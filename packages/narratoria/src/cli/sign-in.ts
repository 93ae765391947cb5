/** `narratoria sign-in`: another address that signs a browser in, from the host that runs. */
import { isJsonObject, readJson } from "@narratoria/tool/json";
import { complain, say } from "./say.ts";
import { dataFolder } from "../data.ts";
import { findRunningHost, type RunningHost } from "./running-host.ts";

export interface SignInCommandOptions {
  data?: string;
}

export async function signInCommand(options: SignInCommandOptions): Promise<number> {
  const dataDir = dataFolder(options.data);
  const host = findRunningHost(dataDir);
  const code = host === null ? null : await askForCode(host);
  if (host === null || code === null)
    return complain(`no Narratoria is serving ${dataDir}; narratoria serve begins it`);
  say(addressWith(host.origin, code));
  return 0;
}

/** What is printed and opened. */
export function addressWith(origin: string, code: string): string {
  return `${origin}/?code=${encodeURIComponent(code)}`;
}

/** Null: nobody answers there, or somebody else does. */
async function askForCode({ origin, key }: RunningHost): Promise<string | null> {
  try {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${origin}/api/sign-in/codes`, { method: "POST", headers });
    const reading = readJson(await response.text());
    if (reading.kind !== "value" || !isJsonObject(reading.value)) return null;
    return typeof reading.value["code"] === "string" ? reading.value["code"] : null;
  } catch {
    return null;
  }
}
