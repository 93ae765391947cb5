/**
 * A module: a program that stays up and answers one message after another, a line of JSON each. It knows how far the five
 * mouths of the hall go, and how long a sound is on its way.
 */
import { createInterface } from "node:readline";

const METRES_PER_SECOND = 343;
const LONGEST_WAIT_SECONDS = 4;
/** The Long Rake goes on for longer than anybody waits. */
const MOUTHS = [{ metres: 120 }, { metres: 900 }, { metres: 85 }, { metres: 210 }, { metres: 160 }];

const description = {
  name: "acoustics",
  version: "1.0.0",
  kind: "tool",
  capabilities: [],
  inputs: { type: "object", properties: { sound: { type: "string" } } },
  outputs: { type: "object", properties: { of: { type: "integer" }, returned: { type: "integer" }, seconds: { type: "number" } } },
};

function listen() {
  const times = MOUTHS.map(({ metres }) => (2 * metres) / METRES_PER_SECOND);
  const heard = times.filter((seconds) => seconds <= LONGEST_WAIT_SECONDS);
  return { of: MOUTHS.length, returned: heard.length, seconds: Math.round(Math.max(...heard) * 100) / 100 };
}

function answer(method, params) {
  if (method === "health") return { status: "ok" };
  if (method === "describe") return description;
  if (method !== "invoke" || params?.op !== "run") {
    return { ok: false, error: { code: "unsupported_op", message: "it can only run" } };
  }
  return { ok: true, result: listen() };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  console.log(JSON.stringify({ id, ...answer(method, params) }));
}
