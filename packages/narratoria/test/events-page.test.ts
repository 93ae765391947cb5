/** `docs/events.md` lists every event there is, with the data it must have, and no other. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EVENT_NAMES, eventSchema } from "../src/story/event.ts";

const page = readFileSync(new URL("../../../docs/events.md", import.meta.url), "utf8");
const rows = new Map([...page.matchAll(/^\| `([a-z]+:[a-z_]+)` \| (.*?) \|/gm)].map(([, name, data]) => [name, data]));

test("[K1.1] the page lists the names there are", () => {
  expect(new Set(rows.keys())).toEqual(new Set(EVENT_NAMES));
});

test.each(EVENT_NAMES.map((name) => [name]))("[K1.2] the page names what %s must carry", (name) => {
  const checked = eventSchema.safeParse({ id: "x", ts: 1, event: name, component: "kernel" });
  const missing = checked.success
    ? []
    : checked.error.issues.filter(({ path }) => path[0] === "data").map(({ path }) => String(path[1]));
  for (const field of missing) expect(rows.get(name)).toContain(`\`${field}\``);
});
