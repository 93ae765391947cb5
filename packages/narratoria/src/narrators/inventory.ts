/** What the state holds, in words: for those who ask what they carry, or what a thing is. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";

/** What `/inventory` of the state holds; none when it is empty. */
export function inventoryOf(state: JsonObject): string[] {
  const inventory = Object.hasOwn(state, "inventory") ? (state["inventory"] ?? null) : null;
  if (Array.isArray(inventory))
    return inventory.map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
  if (!isJsonObject(inventory)) return [];
  return Object.entries(inventory).flatMap(([name, value]) => describeItem(name, value));
}

/** What is false, null or none is not there; what is true of a thing stands in brackets behind it. */
export function describeItem(key: string, value: Json): string[] {
  const name = readable(key);
  if (value === false || value === null || value === 0) return [];
  if (typeof value === "number") return [`${value} ${name}`];
  if (typeof value === "string") return [`${name} (${value})`];
  if (!isJsonObject(value)) return [name];
  const ownName = typeof value["name"] === "string" ? value["name"] : name;
  const details = Object.entries(value).flatMap(([about, detail]) => {
    if (about === "name") return [];
    if (detail === true) return [readable(about)];
    return typeof detail === "string" || typeof detail === "number" ? [`${readable(about)}: ${detail}`] : [];
  });
  return [details.length > 0 ? `${ownName} (${details.join(", ")})` : ownName];
}

function readable(key: string): string {
  return key.replaceAll(/[_-]/g, " ");
}
