import { expect, test } from "vitest";
import { eventSchema, type EventDraft, type NarratoriaEvent } from "../../story/event.ts";
import { systemClock } from "../seams/clock.ts";
import { createEventLog } from "./event-log.ts";

const draft: EventDraft = { event: "context:get", component: "runner", data: { key: "a" } };

test("[K1.1] events are numbered from 1, stamped, and handed to every listener in order", () => {
  const heard: string[] = [];
  const listener =
    (name: string) =>
    ({ seq }: NarratoriaEvent): void =>
      void heard.push(`${name}${seq}`);
  const log = createEventLog({ ...systemClock, now: () => 1_700_000_000_250 }, [listener("a"), listener("b")]);
  const events = [log.append(draft), log.append(draft)];
  expect(heard).toEqual(["a1", "b1", "a2", "b2"]);
  expect(events.map(({ ts, seq }) => [ts, seq])).toEqual([
    [1_700_000_000.25, 1],
    [1_700_000_000.25, 2],
  ]);
  expect(events[0]?.id).not.toBe(events[1]?.id);
  for (const event of events) expect(eventSchema.safeParse(event).error).toBeUndefined();
});

test("[K1.1] an id, a time or a number that a caller slips in is replaced", () => {
  const forged = { ...draft, id: "mine", ts: 1, seq: 99 };
  const event = createEventLog(systemClock, []).append(forged);
  expect(event.id).not.toBe("mine");
  expect(event.ts).toBeGreaterThan(1_000_000_000);
  expect(event.seq).toBe(1);
});
