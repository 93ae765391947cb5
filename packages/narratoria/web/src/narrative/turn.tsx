/** One turn: what the player said, what came of it, and what can be done with it. */
import { memo, useState } from "react";
import type { TurnView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { Notice } from "../notice.tsx";
import type { SessionActions } from "../session-actions.ts";
import { EditPrompt } from "./edit-prompt.tsx";
import { Passages } from "./passages.tsx";
import { Prompt } from "./prompt.tsx";
import { ToolStrip } from "./tool-strip.tsx";
import { TurnActions } from "./turn-actions.tsx";

interface TurnProps {
  turn: TurnView;
  isHead: boolean;
  isBusy: boolean;
  /** It waits for the player's answer. */
  isAsking: boolean;
  actions: SessionActions;
}

export const Turn = memo(function Turn({ turn, isHead, isBusy, isAsking, actions }: TurnProps) {
  const [isEditing, setEditing] = useState(false);
  const label = turn.number === 0 ? "Opening scene" : `Turn ${turn.number}`;
  return (
    <section className={isHead ? "turn head" : "turn"} aria-label={label} data-turn={turn.turnId}>
      {turn.prompt !== null && !isEditing && <Prompt text={turn.prompt} />}
      {turn.prompt !== null && isEditing && (
        <EditPrompt
          text={turn.prompt}
          cancel={() => setEditing(false)}
          send={async (text) => {
            // Unchanged it is another take, of the very choice that was taken.
            if (text === turn.prompt) {
              setEditing(false);
              actions.retry(turn.turnId);
            } else if ((await actions.send(text, turn.parentTurnId ?? undefined)) !== null) setEditing(false);
          }}
        />
      )}
      <Passages turn={turn} />
      {turn.status === "running" && <ToolStrip turn={turn} isAsking={isAsking} stop={actions.stop} />}
      <TurnOutcome turn={turn} actions={actions} />
      {turn.ending !== null && (
        <p className="ending">
          <Icon name="star" />
          <span>
            The end: <strong>{turn.ending}</strong>
          </span>
        </p>
      )}
      {turn.status !== "running" && (
        <TurnActions turn={turn} isBusy={isBusy} actions={actions} edit={() => setEditing(true)} />
      )}
    </section>
  );
});

/** How it ended, where that was not well. */
function TurnOutcome({ turn, actions }: { turn: TurnView; actions: SessionActions }) {
  const [isDismissed, setDismissed] = useState(false);
  if (turn.status === "interrupted") {
    return (
      <div className="notice" role="group" aria-label="Interrupted turn">
        <Icon name="history" />
        <p className="notice-text">{turn.notice ?? "This turn was interrupted. What happened so far is kept."}</p>
        <div className="notice-actions">
          <m3e-button variant="tonal" onClick={() => actions.resume(turn.turnId)}>
            Resume
          </m3e-button>
          <m3e-button variant="text" onClick={() => actions.discard(turn.turnId)}>
            Discard
          </m3e-button>
        </div>
      </div>
    );
  }
  if (turn.status === "cancelled") return <p className="aside-note">{turn.notice ?? "You stopped this turn."}</p>;
  if (isDismissed || (turn.status !== "failed" && turn.notice === null)) return null;
  const errors = turn.tools.flatMap(({ skill, error }) =>
    error === null ? [] : [`${skill}: ${error.message} (${error.code})`],
  );
  return (
    <Notice
      message={turn.notice ?? "Something went wrong in this turn. What happened so far is kept."}
      details={errors.length > 0 ? errors.join("\n") : null}
      retry={() => actions.retry(turn.turnId)}
      dismiss={() => setDismissed(true)}
    />
  );
}
