/** `docs/events.md` lists every event there is, with all the data it may have, and no other event. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { EVENT_NAMES, eventSchema, type EventName } from "../src/story/event.ts";

const page = readFileSync(new URL("../../../docs/events.md", import.meta.url), "utf8");
const rows = new Map([...page.matchAll(/^\| `([a-z]+:[a-z_]+)` \| (.*) \|$/gm)].map(([, name, row]) => [name, row]));

test("[K1.1] the page lists the names there are", () => {
  expect(new Set(rows.keys())).toEqual(new Set(EVENT_NAMES));
});

test.each(EVENT_NAMES.map((name) => [name]))("[K1.2] the page names what %s may carry", (name) => {
  const fields = fieldsOf(name);
  expect(fields).not.toEqual([]);
  expect(fields.filter((field) => !rows.get(name)?.includes(`\`${field}\``))).toEqual([]);
});

function fieldsOf(name: EventName): string[] {
  const members = eventSchema.options.flatMap((member): z.ZodObject[] =>
    member instanceof z.ZodObject ? [member] : [...member.options],
  );
  return members.flatMap(({ shape: { event, data } }) =>
    z.safeParse(event as z.ZodType, name).success && data instanceof z.ZodObject ? Object.keys(data.shape) : [],
  );
}
