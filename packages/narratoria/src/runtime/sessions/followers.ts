/**
 * Readers of a session's stream. Each has its own place in the log and pulls from there at its own pace, so nothing is
 * lost or doubled, a slow reader costs no memory, and a fast one is told as soon as something is committed.
 */
import type { EventReader, Subscription } from "../seams/session-service.ts";
import type { LogDetail, Store } from "../seams/store.ts";
import { streamAfter } from "../turns/ancestry.ts";

export interface Followers {
  follow(sessionId: string, after: number, reader: EventReader, logs: LogDetail): Subscription;
  /** Something was committed for this session. */
  notify(sessionId: string): void;
  /** The session is gone. */
  closeOf(sessionId: string): void;
  close(): void;
}

const PAGE = 500;

export function createFollowers(store: Store): Followers {
  const bySession = new Map<string, Set<{ pump(): void; close(): void }>>();

  function follow(sessionId: string, after: number, reader: EventReader, logs: LogDetail): Subscription {
    let at = after;
    let isOpen = true;
    let isWaiting = false;
    let isPumping = false;
    const follower = { pump, close: goodbye };
    const followers = bySession.get(sessionId) ?? new Set();
    bySession.set(sessionId, followers.add(follower));

    function goodbye(): void {
      isOpen = false;
      reader.closed();
    }

    function pump(): void {
      if (!isOpen || isWaiting || isPumping) return;
      isPumping = true;
      try {
        for (let page = streamAfter(store, sessionId, at, PAGE, logs); page.length > 0 && isOpen && !isWaiting;) {
          for (const stored of page) {
            at = stored.seq;
            isWaiting = !reader.event(stored.event());
            if (isWaiting || !isOpen) break;
          }
          page = isWaiting ? [] : streamAfter(store, sessionId, at, PAGE, logs);
        }
      } catch {
        // A reader that breaks loses its place; who writes the log must not notice.
        isOpen = false;
        followers.delete(follower);
      } finally {
        isPumping = false;
      }
    }
    queueMicrotask(pump);
    return {
      resume: () => {
        isWaiting = false;
        pump();
      },
      close: () => {
        isOpen = false;
        followers.delete(follower);
        if (followers.size === 0) bySession.delete(sessionId);
      },
    };
  }

  return {
    follow,
    closeOf: (sessionId) => {
      for (const follower of bySession.get(sessionId) ?? []) follower.close();
      bySession.delete(sessionId);
    },
    notify: (sessionId) => {
      for (const follower of bySession.get(sessionId) ?? []) follower.pump();
    },
    close: () => {
      for (const followers of bySession.values()) for (const follower of followers) follower.close();
      bySession.clear();
    },
  };
}
