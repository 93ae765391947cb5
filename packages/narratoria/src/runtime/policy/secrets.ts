/** Secrets a tool was granted: handed over in its environment, and taken out of everything before it is written. */
import { isJsonObject, type Json } from "@narratoria/tool/json";

const PREFIX = "secrets.read:";
const REDACTED = "[secret]";

export type Secrets = Readonly<Record<string, string>>;

/** `secrets.read:WEATHER_KEY` gives the host's variable WEATHER_KEY. */
export function secretsFor(grants: readonly string[], host: NodeJS.ProcessEnv): Secrets {
  const names = grants.filter((grant) => grant.startsWith(PREFIX)).map((grant) => grant.slice(PREFIX.length));
  return Object.fromEntries(names.flatMap((name) => (host[name] ? [[name, host[name]]] : [])));
}

/** The same value without the secrets; the same object when there is none in it. */
export function redact<T>(value: T, secrets: Secrets): T {
  const values = Object.values(secrets);
  if (values.length === 0) return value;
  values.sort((a, b) => b.length - a.length);
  return redactJson(value as Json, values) as T;
}

function redactJson(value: Json, secrets: readonly string[]): Json {
  if (typeof value === "string") return secrets.reduce(redactText, value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, secrets));
  if (!isJsonObject(value)) return value;
  // A secret may also be used as a key. `fromEntries` makes `__proto__` an ordinary one.
  const entries = Object.entries(value).map(([key, item]) => [redactJson(key, secrets), redactJson(item, secrets)]);
  return Object.fromEntries(entries) as Json;
}

const SHORTEST_PART = 4;

function redactText(text: string, secret: string): string {
  // As it is, and as JSON text spells it: a line as the tool printed it may hold either.
  const spelled = JSON.stringify(secret).slice(1, -1);
  const clean = text.replaceAll(secret, REDACTED).replaceAll(spelled, REDACTED);
  // Excerpts and the tail of stderr are cut anywhere: their ends may hold a part of it.
  for (let length = secret.length - 1; length >= SHORTEST_PART; length--) {
    const [beginning, ending] = [secret.slice(0, length), secret.slice(-length)];
    if (clean.endsWith(beginning)) return redactText(clean.slice(0, -length) + REDACTED, secret);
    if (clean.startsWith(ending)) return redactText(REDACTED + clean.slice(length), secret);
  }
  return clean;
}
