import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { followSignal } from "./follow-signal.ts";

test("is aborted with any of those it follows, for their reason", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const following = followSignal(one.signal, other.signal);
  expect(following.signal.aborted).toBe(false);
  other.abort("enough");
  one.abort("too late");
  expect(following.signal.reason).toBe("enough");
});

test("is aborted from the beginning with one that was", () => {
  expect(followSignal(new AbortController().signal, AbortSignal.abort("before")).signal.reason).toBe("before");
});

test("can be aborted by itself, and the others do not hear of it", () => {
  const one = new AbortController();
  const following = followSignal(one.signal);
  following.abort("its own");
  expect([following.signal.reason, one.signal.aborted]).toEqual(["its own", false]);
});

test("leaves nothing behind where it listened: let go, aborted, or following one that was aborted", () => {
  const one = new AbortController();
  const listeners = (): number => getEventListeners(one.signal, "abort").length;
  const following = followSignal(one.signal);
  const aborted = followSignal(one.signal);
  expect(listeners()).toBe(2);
  following.letGo();
  aborted.abort("x");
  followSignal(AbortSignal.abort(), one.signal);
  expect(listeners()).toBe(0);
  one.abort();
  expect(following.signal.aborted).toBe(false);
});
