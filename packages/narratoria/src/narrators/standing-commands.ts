/** What a player can always type, whatever the story offers: look, inventory, help, and beginning again at the end. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";

export type StandingCommand = "look" | "inventory" | "help" | "begin again";

export function readStandingCommand(prompt: string): StandingCommand | null {
  if (prompt.length > LONGEST) return null;
  const words = prompt
    .toLowerCase()
    .replace(/^(?:please\s+|i\s+(?=look|check))/, "")
    .replace(/[.!\s]+$/, "")
    .trim();
  const found = Object.entries(COMMANDS).find(([, ways]) => ways.includes(words.replace(/\s+/g, " ")));
  return found === undefined ? null : (found[0] as StandingCommand);
}

const LONGEST = 60;

const COMMANDS: Readonly<Record<StandingCommand, readonly string[]>> = {
  look: ["look", "l", "look around", "look about", "look again", "where am i", "where am i?"],
  inventory: [
    "inventory",
    "inv",
    "i",
    "check inventory",
    "check my inventory",
    "what do i have",
    "what do i have?",
    "what am i carrying",
    "what am i carrying?",
  ],
  help: ["help", "?", "hint", "hints", "what can i do", "what can i do?", "what now", "what now?"],
  "begin again": ["begin again", "restart", "start over", "start again", "play again", "new game"],
};

/** What `/inventory` of the state holds, in words; null when it is empty. */
export function describeInventory(state: JsonObject): string | null {
  const inventory = Object.hasOwn(state, "inventory") ? state["inventory"] : undefined;
  const things = itemsOf(inventory ?? null);
  return things.length === 0 ? null : `You carry: ${things.join(", ")}.`;
}

function itemsOf(inventory: Json): string[] {
  if (Array.isArray(inventory))
    return inventory.map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
  if (!isJsonObject(inventory)) return [];
  return Object.entries(inventory).flatMap(([name, value]) => describeItem(readable(name), value));
}

/** What is false, null or none is not carried; what is true of a thing stands in brackets behind it. */
function describeItem(name: string, value: Json): string[] {
  if (value === false || value === null || value === 0) return [];
  if (typeof value === "number") return [`${value} ${name}`];
  if (typeof value === "string") return [`${name} (${value})`];
  if (!isJsonObject(value)) return [name];
  const ownName = typeof value["name"] === "string" ? value["name"] : name;
  const details = Object.entries(value).flatMap(([key, detail]) => {
    if (key === "name") return [];
    if (detail === true) return [readable(key)];
    return typeof detail === "string" || typeof detail === "number" ? [`${readable(key)}: ${detail}`] : [];
  });
  return [details.length > 0 ? `${ownName} (${details.join(", ")})` : ownName];
}

function readable(key: string): string {
  return key.replaceAll(/[_-]/g, " ");
}
