import fc from "fast-check";
import { expect, test } from "vitest";
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
    fc.property(fc.array(fc.integer({ min: 1, max: 40 })), (lengths) => {
      const pieces: string[] = [];
      let rest = STREAM;
      for (const length of lengths) {
        pieces.push(rest.slice(0, length));
        rest = rest.slice(length);
      }
      expect(read([...pieces, rest])).toEqual(EVENTS);
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
