/**
 * The session a turn belongs to, as far as the turn may know it: what it is at now, and the log it writes to. `sessions/`
 * gives it, `begin-turn.ts` uses it; neither knows more of the other.
 */
import type { DraftOf, EventDraft, LineDraft, NarratoriaEvent } from "../../story/event.ts";
import type { SessionState } from "../../story/session-state.ts";
import type { Story } from "../mounts/load-story.ts";

export interface TurnSession {
  readonly sessionId: string;
  /** As of the last commit. */
  state(): SessionState;
  /** The story's state only to look at: it changes with the next patch. */
  glance(): Pick<SessionState, "state" | "stateSize">;
  /** All of them in one commit; each is told its session, and its turn when it has none. */
  append(drafts: readonly EventDraft[]): readonly NarratoriaEvent[];
  /** Log lines of one attempt, as printed, from its `number`th on (the first is 0). */
  appendLines(draft: LineDraft, number: number, lines: readonly string[], progress: number | null): void;
  /** What must not be lost, even when the disk is full: then it is written before whatever comes next. */
  appendOrOwe(draft: DraftOf<"turn:end">): void;
  /** Writes what brings the log up to what the story has now: its mounts and its hooks. */
  catchUpWith(story: Story): Promise<void>;
}
