/** What the terminal prints of a turn while it is told, and in which order. */
import pc from "picocolors";
import { expect, test } from "vitest";
import {
  numbered,
  planned,
  plannedSilently,
  printed,
  start,
  tell,
  toolStart,
  turn,
  turnEnd,
} from "../../test/told-events.ts";
import type { EventDraft } from "../story/event.ts";
import { emptyView, foldView } from "../story/fold-view.ts";
import type { AssetView } from "../story/session-view.ts";
import { createStoryPrinter } from "./story-printer.ts";
import { trackProgress } from "./stream-progress.ts";

function open(assetFile: (asset: AssetView) => Promise<string | null> = () => Promise.resolve(null)) {
  const lines: string[] = [];
  const line = (text = ""): void => void lines.push(text);
  const style = pc.createColors(false);
  const lineByLine = (texts: readonly string[]): void => void lines.push(...texts);
  const terminal = { isLive: false, style, columns: () => 60, line, lines: lineByLine, status: () => {} };
  const printer = createStoryPrinter(terminal, assetFile);
  const viewAfter = (...drafts: EventDraft[]) => foldView(emptyView("s"), numbered(drafts));
  return { lines, printer, viewAfter };
}

test("a text that is being told is printed paragraph by paragraph, and once", async () => {
  const { lines, printer, viewAfter } = open();
  const told = [start(), turn(), tell("The door op")];
  await printer.follow(viewAfter(...told));
  expect(lines).toEqual([]);
  told.push(tell("ens.\n\nWind"));
  await printer.follow(viewAfter(...told));
  expect(lines).toEqual(["The door opens.", ""]);
  await printer.follow(viewAfter(...told, tell(" comes in."), turnEnd({ narrative: "It is cold." })));
  expect(lines).toEqual(["The door opens.", "", "Wind comes in.", "", "It is cold.", ""]);
});

test("a text is told to its end when something else follows it", async () => {
  const { lines, printer, viewAfter } = open();
  await printer.follow(viewAfter(start(), turn(), tell("You wait."), planned("x"), tell("You")));
  expect(lines).toEqual(["You wait.", "", "You try.", ""]);
});

test("a text is told to its end when a plan without words follows it, and what is told then begins a new line", async () => {
  const { lines, printer, viewAfter } = open();
  const told = [start(), turn(), tell("You wait."), plannedSilently("x")];
  await printer.follow(viewAfter(...told));
  expect(lines).toEqual(["You wait.", ""]);
  await printer.follow(viewAfter(...told, tell("Nothing."), turnEnd({ narrative: "" })));
  expect(lines).toEqual(["You wait.", "", "Nothing.", ""]);
});

test("who comes while it is asked where an asset lies waits: everything is printed in order, and once", async () => {
  const asset = { toolId: "x", assetId: "i", kind: "image", mediaType: "image/png", status: "stored" as const };
  const event = { type: "asset" as const, assetId: "i", kind: "image", mediaType: "image/png", path: "i.png" };
  let found: (file: string) => void = () => {};
  const { lines, printer, viewAfter } = open(() => new Promise((go) => (found = go)));
  const events = [start(), turn(), planned("x"), toolStart(), printed(event, { asset })];
  const first = printer.follow(viewAfter(...events));
  const second = printer.follow(viewAfter(...events, turnEnd()));
  await new Promise((go) => setImmediate(go));
  found("/assets/i.png");
  await Promise.all([first, second]);
  expect(lines.filter((line) => line !== "")).toEqual([
    "You try.",
    "  [image i]",
    "  /assets/i.png",
    "  (lamp)",
    "So it went.",
  ]);
});

test("a reader's progress lets go who waits for it, and everybody when it stops", async () => {
  const progress = trackProgress(3);
  const reached: string[] = [];
  const wait = (seq: number) => progress.reached(seq).then(() => reached.push(String(seq)));
  const waiting = [wait(3), wait(5), wait(9)];
  await waiting[0];
  expect(reached).toEqual(["3"]);
  progress.advance(6);
  await waiting[1];
  expect([reached, progress.seq()]).toEqual([["3", "5"], 6]);
  progress.stop();
  await Promise.all([...waiting, progress.reached(99)]);
  expect(reached).toEqual(["3", "5", "9"]);
});
