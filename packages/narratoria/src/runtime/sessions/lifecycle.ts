/** The part of the session service with which sessions come and go: begun, taken in from a file, renamed, ended, removed. */
import { mergePatch } from "../../story/merge-patch.ts";
import type { StoryShelf } from "../mounts/story-shelf.ts";
import type { AssetStore } from "../seams/assets.ts";
import { refused } from "../seams/refusals.ts";
import { isRefusal, type SessionService } from "../seams/session-service.ts";
import type { Store } from "../seams/store.ts";
import { importSession } from "../session-file/import-session.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import { mountChanges, type CatchUp } from "./catch-up.ts";
import type { Followers } from "./followers.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { Play } from "./play.ts";
import type { SessionLog } from "./session-log.ts";

export type Lifecycle = Pick<SessionService, "create" | "import" | "rename" | "end" | "remove">;

/** The bytes that sessions refer to. */
export interface SessionAssets {
  store: AssetStore;
  /** Where an asset's bytes lie. */
  file(sha256: string): string;
  /** Removes what nobody refers to any more. */
  sweep(stillUsed: ReadonlySet<string>): void;
}

export interface LifecycleParts {
  store: Store;
  ancestry: Ancestry;
  shelf: StoryShelf;
  open: OpenSessions;
  log: SessionLog;
  catchUp: CatchUp;
  followers: Followers;
  assets: SessionAssets;
  begin: Play["begin"];
  newId(): string;
  /** Ends what was kept running for a session. */
  endProcessesOf(sessionId: string): Promise<void>;
}

export function createLifecycle(parts: LifecycleParts): Lifecycle {
  const { store, ancestry, shelf, open, log, assets, newId } = parts;
  return {
    async create({ storyDir, title, goal, inputs }) {
      const opened = await shelf.open(storyDir ?? shelf.defaultDir);
      if (opened.kind === "invalid") {
        const problems = opened.problems.map(({ file, line = null, pointer = null, message }) => ({
          file,
          line,
          pointer,
          message,
        }));
        return refused("bad_request", "this story has errors", { problems });
      }
      const { story } = opened;
      const sessionId = newId();
      const state = mergePatch(story.initialState, inputs ?? {});
      log.append(sessionId, [
        {
          event: "session:start",
          component: "kernel",
          data: {
            title: title ?? story.title,
            story: { dir: story.dir, title: story.title, version: story.version },
            plan: { goal: goal ?? story.goal, inputs: { story: story.title, version: story.version, state } },
          },
        },
        ...mountChanges(new Map(), story.mounts),
      ]);
      // Only now: which hooks it has depends on what it tells.
      const hooks = parts.catchUp(sessionId, story);
      if (hooks.length > 0) log.append(sessionId, hooks);
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      parts.begin(session, null, null);
      return { sessionId };
    },

    import: (file) =>
      importSession(
        {
          store,
          ancestry,
          assets: assets.store,
          newId,
          storyDir: (title) => shelf.list().find((story) => story.title === title)?.dir ?? null,
        },
        file,
      ),

    async rename(sessionId, title) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      if (title.trim() === "") return refused("bad_request", "a title needs at least one letter");
      log.append(sessionId, [{ event: "session:title", component: "kernel", data: { title: title.trim() } }]);
      return session.view();
    },

    async end(sessionId, reason) {
      const session = open.atRest(sessionId);
      if (isRefusal(session)) return session;
      if (!session.present().ended) {
        log.append(sessionId, [{ event: "session:end", component: "kernel", data: { reason } }]);
      }
      return session.view();
    },

    async remove(sessionId) {
      const session = open.atRest(sessionId);
      if (isRefusal(session)) return session;
      store.remove(sessionId);
      open.forget(sessionId);
      parts.followers.closeOf(sessionId);
      await parts.endProcessesOf(sessionId);
      assets.sweep(store.assetHashes());
      return { removed: true };
    },
  };
}
