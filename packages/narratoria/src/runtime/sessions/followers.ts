/**
 * Readers of a session's stream. Each has its own place and is served at its own pace, so nothing is lost or doubled. Who
 * is at the end is handed what is committed, encoded once for all of them; who is behind reads pages from the store, and
 * lets others work between two pages. At most one page waits for a reader that is full.
 */
import { PACE } from "../execution/pace.ts";
import type { StreamedEvent, StreamReader, Subscription } from "../seams/session-service.ts";
import type { LogDetail, Store } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import type { Commit } from "./session-log.ts";

export interface Followers {
  follow(sessionId: string, after: number, reader: StreamReader, logs: LogDetail): Subscription;
  tell(commit: Commit): void;
  /** The session is gone. */
  closeOf(sessionId: string): void;
  close(): void;
}

const PAGE = 500;

export function createFollowers(store: Store, ancestry: Ancestry): Followers {
  const bySession = new Map<string, Set<Follower>>();

  function follow(sessionId: string, after: number, reader: StreamReader, logs: LogDetail): Subscription {
    const followers = bySession.get(sessionId) ?? new Set();
    const leave = (): void => {
      followers.delete(follower);
      if (followers.size === 0 && bySession.get(sessionId) === followers) bySession.delete(sessionId);
    };
    const follower = createFollower(after, reader, logs, leave, (at) => ancestry.stream(sessionId, at, PAGE, logs));
    bySession.set(sessionId, followers.add(follower));
    return { resume: follower.resume, close: follower.close };
  }

  function tell(commit: Commit): void {
    const followers = bySession.get(commit.sessionId);
    if (followers === undefined) return;
    const handouts = { each: handOut(commit, "each"), runs: handOut(commit, "runs") };
    for (const follower of followers) follower.offer(handouts[follower.logs]);
  }

  /** What was committed, made when the first reader wants it; null when it is more than a page. */
  function handOut({ sessionId, records }: Commit, logs: LogDetail): () => readonly StreamedEvent[] | null {
    let events: readonly StreamedEvent[] | null = null;
    return () => {
      const first = records[0];
      if (first?.kind !== "lines") {
        return (events ??= records.flatMap((record) =>
          record.kind === "lines" ? [] : { seq: record.event.seq ?? 0, json: record.json, event: () => record.event },
        ));
      }
      // As the store tells it, so that it reads the same whenever it is read.
      if (logs === "each" && first.lines.length > PAGE) return null;
      const before = (first.first.seq ?? 0) - 1;
      events ??= store.eventsAfter(sessionId, before, first.lines.length, logs);
      // Very long lines are read in several pages.
      return events.at(-1)?.seq === before + first.lines.length ? events : null;
    };
  }

  function goodbyeTo(followers: Iterable<Follower>): void {
    for (const follower of [...followers]) follower.goodbye();
  }

  return {
    follow,
    tell,
    closeOf: (sessionId) => goodbyeTo(bySession.get(sessionId) ?? []),
    close: () => {
      for (const followers of bySession.values()) goodbyeTo(followers);
    },
  };
}

interface Follower extends Subscription {
  readonly logs: LogDetail;
  /** Something was committed. */
  offer(events: () => readonly StreamedEvent[] | null): void;
  goodbye(): void;
}

function createFollower(
  after: number,
  reader: StreamReader,
  logs: LogDetail,
  leave: () => void,
  read: (at: number) => { events: readonly StreamedEvent[]; next: number; isLast: boolean },
): Follower {
  /** Read, and from `next` on not taken yet. */
  let page: readonly StreamedEvent[] = [];
  let next = 0;
  /** Where to go on reading when the page is done. */
  let at = after;
  let isBehind = true;
  let isOpen = true;
  let isFull = false;
  let isGiving = false;
  let isPlanned = false;

  function go(): void {
    if (!isOpen || isFull || isGiving) return;
    give();
    if (isOpen && !isFull && isBehind) plan();
  }

  /** One step later, and when others have had their turn: many may be catching up. */
  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(() => {
      const resting = PACE.rest();
      if (resting === undefined) turnPage();
      else void resting.then(turnPage);
    });
  }

  function turnPage(): void {
    isPlanned = false;
    if (!isOpen || isFull) return;
    try {
      const found = read(at);
      page = found.events;
      next = 0;
      at = found.next;
      isBehind = !found.isLast;
    } catch {
      // The store is closed, or broken: whoever asks it next will hear of it.
      return goodbye();
    }
    go();
  }

  function give(): void {
    isGiving = true;
    try {
      while (isOpen && !isFull && next < page.length) {
        const event = page[next++];
        if (event !== undefined) isFull = !reader.take(event);
      }
    } catch {
      // A reader that breaks loses its place; who writes the log must not notice.
      close();
    } finally {
      isGiving = false;
    }
  }

  function offer(events: () => readonly StreamedEvent[] | null): void {
    const isAtEnd = isOpen && !isBehind && !isGiving && !isFull && next >= page.length;
    const handed = isAtEnd ? events() : null;
    if (handed === null) {
      isBehind = true;
      return go();
    }
    page = handed;
    next = 0;
    at = handed.at(-1)?.seq ?? at;
    go();
  }

  function close(): void {
    isOpen = false;
    page = [];
    leave();
  }

  function goodbye(): void {
    close();
    reader.closed();
  }

  // Later, so that whoever follows has the subscription before the first event comes.
  plan();
  return {
    logs,
    offer,
    close,
    goodbye,
    resume: () => {
      isFull = false;
      go();
    },
  };
}
