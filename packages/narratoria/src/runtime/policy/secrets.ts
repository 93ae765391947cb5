/** Secrets a tool was granted: handed over in its environment, and taken out of everything before it is written. */
import { isJsonObject, type Json } from "@narratoria/tool/json";
import { spellingsOf, type Spelling } from "./spell-secrets.ts";

const PREFIX = "secrets.read:";
const REDACTED = "[secret]";

export type Secrets = Readonly<Record<string, string>>;

/** `secrets.read:WEATHER_KEY` gives the host's variable WEATHER_KEY. */
export function secretsFor(grants: readonly string[], host: NodeJS.ProcessEnv): Secrets {
  const names = grants.filter((grant) => grant.startsWith(PREFIX)).map((grant) => grant.slice(PREFIX.length));
  return Object.fromEntries(names.flatMap((name) => (host[name] ? [[name, host[name]]] : [])));
}

/** Gives the same value without the secrets; the very same where there is none in it. */
export type Redact = <T>(value: T) => T;

export function createRedaction(secrets: Secrets): Redact {
  const values = Object.values(secrets);
  if (values.length === 0) return (value) => value;
  const spellings = spellingsOf(values);
  const numbers = values.filter((value) => /^\d+$/.test(value) && value.length >= SHORTEST_NUMBER);
  return (value) => redactJson(value as Json, { spellings, numbers }) as typeof value;
}

interface Wanted {
  spellings: readonly Spelling[];
  numbers: readonly string[];
}

/** Of digits: a shorter one is as often a number of something. */
const SHORTEST_NUMBER = 6;

function redactJson(value: Json, wanted: Wanted): Json {
  if (typeof value === "string") return redactText(value, wanted.spellings);
  if (typeof value === "number") return wanted.numbers.some((one) => String(value).includes(one)) ? REDACTED : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redactJson(item, wanted));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  // A secret may also be used as a key. `fromEntries` makes `__proto__` an ordinary one.
  const before = Object.entries(value);
  const after = before.map(([key, item]) => [redactText(key, wanted.spellings), redactJson(item, wanted)] as const);
  const isSame = after.every(([key, item], index) => key === before[index]?.[0] && item === before[index][1]);
  return isSame ? value : Object.fromEntries(after);
}

function redactText(text: string, spellings: readonly Spelling[]): string {
  let clean = text;
  for (const { text: spelled } of spellings) if (clean.includes(spelled)) clean = clean.replaceAll(spelled, REDACTED);
  // Excerpts and the tail of stderr are cut anywhere: their ends may hold a part of it.
  for (const spelling of spellings) {
    const [atStart, atEnd] = [partAtStart(clean, spelling), partAtEnd(clean, spelling)];
    if (atStart > 0) clean = REDACTED + clean.slice(atStart);
    if (atEnd > 0) clean = clean.slice(0, -atEnd) + REDACTED;
  }
  return clean;
}

/** How much of the text's beginning is the end of a secret. */
function partAtStart(text: string, { text: secret, shortestPart }: Spelling): number {
  const first = text.charCodeAt(0);
  for (let length = Math.min(secret.length - 1, text.length); length >= shortestPart; length--) {
    const from = secret.length - length;
    if (secret.charCodeAt(from) === first && text.startsWith(secret.slice(from))) return length;
  }
  return 0;
}

/** How much of the text's end is the beginning of a secret. */
function partAtEnd(text: string, { text: secret, shortestPart }: Spelling): number {
  const last = text.charCodeAt(text.length - 1);
  for (let length = Math.min(secret.length - 1, text.length); length >= shortestPart; length--) {
    if (secret.charCodeAt(length - 1) === last && text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
