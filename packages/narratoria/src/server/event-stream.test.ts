import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFakeSessions, type FakeSessions } from "../../test/fake-sessions.ts";
import { openEventStream } from "./event-stream.ts";

let sessions: FakeSessions;
let id: string;
let reader: ReadableStreamDefaultReader<Uint8Array>;

beforeEach(async () => {
  vi.useFakeTimers();
  sessions = createFakeSessions();
  id = sessions.add();
  const stream = await openEventStream(sessions, id, 0);
  if (!(stream instanceof ReadableStream)) throw new Error(stream.message);
  reader = stream.getReader();
});
afterEach(() => vi.useRealTimers());

describe("[U1.8] a stream of events", () => {
  test("shows every 15 seconds that it is still there, with a comment", async () => {
    expect(await next()).toBe("retry: 1000\n\n");
    vi.advanceTimersByTime(14_999);
    sessions.append(id, "first");
    expect(await next()).toContain("id: 1\n");
    vi.advanceTimersByTime(1);
    expect(await next()).toMatch(/^: .*\n\n$/);
  });

  test("nobody reads: it takes a quarter of a megabyte and then nothing, not even its own comments", async () => {
    sessions.append(id, ...Array.from({ length: 100 }, () => "x".repeat(10_000)));
    // 25 events of some 10,250 bytes leave a little room; the 26th fills it.
    expect(sessions.taken(id)).toBe(26);
    vi.advanceTimersByTime(60 * 60 * 1000);
    for (let seq = 0; seq <= 100; seq++) expect(await next()).toContain(seq === 0 ? "retry" : `id: ${seq}\n`);
    expect(sessions.taken(id)).toBe(100);
  });

  test("ends with goodbye, and no timer stays behind", async () => {
    await sessions.close();
    expect([await next(), await next(), (await reader.read()).done]).toEqual([
      "retry: 1000\n\n",
      "event: bye\ndata: {}\n\n",
      true,
    ]);
    expect([sessions.followers(id), vi.getTimerCount()]).toEqual([0, 0]);
  });

  test("a reader that leaves is followed no longer", async () => {
    await reader.cancel();
    sessions.append(id, "later");
    expect([sessions.followers(id), vi.getTimerCount()]).toEqual([0, 0]);
  });

  test("[U1.5] every log line is sent, unless runs of them are asked for", async () => {
    const follow = vi.spyOn(sessions, "follow");
    await openEventStream(sessions, id, 3);
    await openEventStream(sessions, id, 3, "runs");
    expect(follow.mock.calls.map(([, after, , logs]) => `${after} ${logs}`)).toEqual(["3 each", "3 runs"]);
  });

  test("an unknown session is refused", async () => {
    expect(await openEventStream(sessions, "unknown", 0)).toMatchObject({ kind: "refused", code: "not_found" });
  });
});

async function next(): Promise<string> {
  return new TextDecoder().decode((await reader.read()).value);
}
