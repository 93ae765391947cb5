/** The part of the session service with which sessions come: begun with a story, or taken in from a file. */
import { mergePatch } from "../../story/merge-patch.ts";
import type { StoryShelf } from "../mounts/story-shelf.ts";
import type { StoryProblem } from "../mounts/story-problem.ts";
import type { AssetStore } from "../seams/assets.ts";
import { refused } from "../seams/refusals.ts";
import type { Refusal, SessionService } from "../seams/session-service.ts";
import { importSession } from "../session-file/import-session.ts";
import type { CatchUp } from "./catch-up.ts";
import type { Play } from "./play.ts";
import type { Removals } from "./removals.ts";
import type { SessionDesk } from "./session-desk.ts";

export type Beginnings = Pick<SessionService, "create" | "import">;

export interface BeginningParts {
  readonly shelf: StoryShelf;
  readonly catchUp: CatchUp;
  readonly beginSession: Play["beginSession"];
  readonly removals: Pick<Removals, "finish">;
  readonly assets: AssetStore;
  newId(): string;
}

export function createBeginnings({ store, ancestry }: SessionDesk, parts: BeginningParts): Beginnings {
  const { shelf, catchUp, beginSession, removals, assets, newId } = parts;
  /** One file after the other: two may hold the same ids, and what is known is looked up before anything is written. */
  let lastImport: Promise<unknown> = Promise.resolve();
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = lastImport.then(work);
    lastImport = mine.catch(() => {});
    return mine;
  }
  return {
    async create({ storyDir, title, goal, inputs }) {
      const opened = await shelf.open(storyDir ?? shelf.defaultDir);
      if (opened.kind === "invalid") return refuseStory(opened.problems);
      const { story } = opened;
      const sessionId = newId();
      const state = mergePatch(story.initialState, inputs ?? {});
      const caughtUp = await catchUp(sessionId, story);
      // In one commit: half a session would be nobody's to mend.
      beginSession(sessionId, [
        {
          event: "session:start",
          component: "kernel",
          data: {
            title: title ?? story.title,
            story: { dir: story.dir, title: story.title, version: story.version },
            plan: { goal: goal ?? story.goal, inputs: { story: story.title, version: story.version, state } },
          },
        },
        ...caughtUp,
      ]);
      return { sessionId };
    },

    async import(file, storyDir) {
      const opened = storyDir === undefined ? null : await shelf.open(storyDir);
      if (opened?.kind === "invalid") return refuseStory(opened.problems);
      const undo = (sessionId: string): Promise<void> => removals.finish(sessionId, false);
      return importSession({ store, ancestry, assets, newId, undo, inTurn, story: opened?.story ?? null }, file);
    },
  };
}

function refuseStory(found: readonly StoryProblem[]): Refusal {
  const problems = found.map(({ file, line = null, pointer = null, message }) => ({ file, line, pointer, message }));
  return refused("bad_request", "this story has errors", { problems });
}
