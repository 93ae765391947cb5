/** What hooks hear of (`policy/observers.ts`): the sessions' log, and the stories whose hooks they are. */
import type { StoryShelf } from "../mounts/story-shelf.ts";
import type { ModuleHooks } from "../policy/module-hooks.ts";
import type { ObservedLog } from "../policy/observers.ts";
import type { SessionDesk } from "./session-desk.ts";

const PAGE = 100;

export function createObservedLog(
  { store, ancestry, log }: Pick<SessionDesk, "store" | "ancestry" | "log">,
  shelf: Pick<StoryShelf, "openForTurn">,
  moduleHooks: Pick<ModuleHooks, "mount" | "knows">,
): ObservedLog {
  /** Something happens to a session of which nothing was told in this host yet. */
  async function mountHooksOf(sessionId: string, dir: string): Promise<void> {
    const opened = await shelf.openForTurn(dir);
    // A turn may have begun meanwhile.
    if (opened.kind === "story" && !moduleHooks.knows(sessionId)) await moduleHooks.mount(sessionId, opened.story);
  }

  return {
    introduce: (sessionId) => {
      if (moduleHooks.knows(sessionId)) return null;
      const [start] = ancestry.sessionEvents(sessionId, "session:start");
      const dir = start?.data.story?.dir ?? "";
      return dir === "" ? null : mountHooksOf(sessionId, dir);
    },
    read: (sessionId, after) => {
      try {
        return ancestry.stream(sessionId, after, PAGE, "runs").events.map((stored) => stored.event());
      } catch {
        // Damaged, or gone: whoever asks for it next will hear of it.
        return [];
      }
    },
    note: (sessionId, draft) => {
      try {
        if (store.session(sessionId)?.removed === false) log.note(sessionId, draft);
      } catch {
        // Nobody waits here who could be told.
      }
    },
  };
}
