import { expect, test } from "vitest";
import { logged, numbered, start, turn, turnEnd } from "../../test/told-events.ts";
import type { NarratoriaEvent } from "../../src/story/event.ts";
import { asRun } from "../../src/story/log-lines.ts";
import { continuityOf, type Continuity } from "./stream-continuity.ts";

const from = (first: number): NarratoriaEvent[] => numbered([start(), turn(), turnEnd()], first);
/** Log lines up to a number, as one event. */
const run = (last: number, count: number): NarratoriaEvent[] =>
  numbered([logged("x")], last).map((event) =>
    event.event === "tool:event" ? asRun(event, { count, progress: null }) : event,
  );

test.each<[what: string, known: number, events: NarratoriaEvent[], continuity: Continuity]>([
  ["nothing", 4, [], "goes on"],
  ["the next", 4, from(5), "goes on"],
  ["one left out before", 4, from(6), "missed some"],
  ["one left out in between", 4, from(5).filter((_, index) => index !== 1), "missed some"],
  ["from the first again", 4, from(1), "began anew"],
  ["the last again", 4, from(4), "began anew"],
  ["anew in between", 4, [...from(5), ...from(1)], "began anew"],
  ["a run of lines", 4, [...run(104, 100), ...from(105)], "goes on"],
  ["the end of a run whose beginning was missed", 4, run(105, 100), "missed some"],
  ["a run that reaches into what is known", 4, run(103, 100), "began anew"],
  ["without a number", 4, from(9).map((event) => ({ ...event, seq: null })), "goes on"],
])("%s", (_, known, events, continuity) => {
  expect(continuityOf(known, events)).toBe(continuity);
});
