import { expect, test } from "vitest";
import { stamp, type EventDraft, type NarratoriaEvent } from "../../../src/story/event.ts";
import { emptyView, foldView } from "../../../src/story/fold-view.ts";
import type { SessionView } from "../../../src/story/session-view.ts";
import { plannedSilently } from "../../../test/told-events.ts";
import { linesToSpeak, type Spoken } from "./spoken-lines.ts";

/** Folds what happens, and gives what is said of it. */
function listener(): (...drafts: EventDraft[]) => string[] {
  let view: SessionView = emptyView("s");
  let spoken: Spoken | null = null;
  let seq = 0;
  return (...drafts) => {
    const events = drafts.map((draft): NarratoriaEvent => stamp(draft, { id: `e${++seq}`, ts: 0, seq }));
    view = foldView(view, events);
    const { lines, spoken: now } = linesToSpeak(view, spoken);
    spoken = now;
    return lines.map(({ text }) => text);
  };
}

const about = { turn_id: "t", session_id: "s" };
const start: EventDraft = { event: "turn:start", component: "runtime", data: { turnId: "t", prompt: "go" }, ...about };
const tell = (text: string): EventDraft => ({
  event: "turn:tell",
  component: "narrator",
  data: { turnId: "t", text },
  ...about,
});
const end = (narrative: string, status: "completed" | "cancelled" = "completed"): EventDraft => ({
  event: "turn:end",
  component: "runtime",
  status,
  data: { turnId: "t", narrative, choices: [] },
  ...about,
});

test("[U1.9] what is told piece by piece is said sentence by sentence, all of it and once", () => {
  const hear = listener();
  expect(hear()).toEqual([]);
  expect(hear(start, tell("The door "))).toEqual([]);
  expect(hear(tell("opens. Be"))).toEqual(["The door opens."]);
  expect(hear(tell("hind it: *dark*. "))).toEqual(["Behind it: dark."]);
  expect(hear(tell("And a voice"))).toEqual([]);
  expect(hear(tell("\n\nNobody"))).toEqual(["And a voice"]);
  expect(hear(end("You wait."))).toEqual(["Nobody", "You wait."]);
  expect(hear()).toEqual([]);
});

test("[U1.9] what was there at the start stays silent, also where more of it comes", () => {
  const hear = listener();
  expect(hear(start, tell("The door opens. Be"))).toEqual([]);
  expect(hear(tell("hind it: dark. "))).toEqual(["hind it: dark."]);
});

test("[U1.9] what was told before a plan is said to its end while the plan runs, though it shows nothing", () => {
  const hear = listener();
  hear();
  expect(hear(start, tell("You wait"), { ...plannedSilently("x"), ...about })).toEqual(["You wait"]);
  expect(hear(tell("Nothing. "))).toEqual(["Nothing."]);
});

test("[U1.9] what a turn that was stopped had told is said to its end", () => {
  const hear = listener();
  hear();
  expect(hear(start, tell("It begins"))).toEqual([]);
  expect(hear(end("", "cancelled"))).toEqual(["It begins"]);
});
