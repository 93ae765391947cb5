/** A session begins whole or not at all: whatever stops its host, no half of one is found by the next. */
import { expect, test } from "vitest";
import type { Store } from "../src/runtime/seams/store.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import { createScriptedHost, end, ok, streamOf } from "./scripted-host.ts";

test.each([0, 1, 2, 3])(
  "[K1.3] [Z1.4] a disk that takes %i commits holds a whole beginning or nothing",
  async (most) => {
    const store = openSqliteStore(":memory:");
    const host = createScriptedHost({ store: taking(most, store), narrate: () => end("It begins.") });
    host.hooks.register({ name: "watcher", events: ["*"], priority: 0, observe: () => {} });
    const created = await host.sessions.create({});
    if ("sessionId" in created) await host.sessions.idle(created.sessionId);
    const kept = store.sessions();
    expect(kept).toHaveLength(most === 0 ? 0 : 1);
    for (const { sessionId, headTurnId } of kept) {
      const names = streamOf(store, sessionId).map(({ event }) => event);
      const mounts = names.filter((name) => name === "mount:add");
      expect(names.slice(0, mounts.length + 3)).toEqual(["session:start", ...mounts, "hook:register", "turn:start"]);
      expect(headTurnId).not.toBe(null);
      // Another host finds a turn that was interrupted, and can tell it.
      const next = createScriptedHost({ store, narrate: () => end("It begins.") });
      if (store.turn(headTurnId ?? "")?.status === "interrupted")
        ok(await next.sessions.resume(sessionId, headTurnId ?? ""));
      expect(await next.sessions.turnEnded(sessionId, headTurnId ?? "")).toBe("completed");
    }
  },
);

/** Full after so many commits. */
function taking(most: number, store: Store): Store {
  let left = most;
  const append: Store["append"] = (records) => {
    if (left-- <= 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    store.append(records);
  };
  return new Proxy(store, {
    get: (target, name): unknown => (name === "append" ? append : Reflect.get(target, name)),
  });
}
