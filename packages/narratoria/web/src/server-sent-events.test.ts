import { expect, test } from "vitest";
import fc from "fast-check";
import { createEventReader, type ServerSentEvent } from "./server-sent-events.ts";

const STREAM =
  'retry: 1000\n\nid: 7\ndata: {"a":"é: b"}\n\n: still here\n\nevent: bye\ndata: {}\n\ndata:one\r\ndata: two\r\n\r\n';
const EVENTS = [
  { event: "message", data: '{"a":"é: b"}' },
  { event: "bye", data: "{}" },
  { event: "message", data: "one\ntwo" },
];

test("[U1.8] the same events come out, wherever the stream is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length)), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), STREAM.length];
      expect(read(places.slice(1).map((end, index) => STREAM.slice(places[index], end)))).toEqual(EVENTS);
    }),
  );
});

test("what the stream breaks off in is no event", () => {
  expect(read(["data: whole\n\n", "data: half\n"])).toEqual([{ event: "message", data: "whole" }]);
});

function read(pieces: string[]): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const reader = createEventReader((event) => events.push(event));
  for (const piece of pieces) reader(piece);
  return events;
}
