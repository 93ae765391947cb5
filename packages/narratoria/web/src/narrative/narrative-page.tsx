/** The story as it is read and played: its turns in a column, the input below, the supporting pane on wide screens. */
import "./narrative.css";
import { useCallback, useEffect, useRef, useState } from "react";
import type { OfferedChoice } from "../../../src/story/choices.ts";
import type { SessionView } from "../../../src/story/session-view.ts";
import { Notice } from "../notice.tsx";
import type { ActionProblem, SessionActions } from "../session-actions.ts";
import { AskCard } from "./ask-card.tsx";
import { Choices } from "./choices.tsx";
import { Composer, type ComposerHandle } from "./composer.tsx";
import { LiveRegion } from "./live-region.tsx";
import { Prompt } from "./prompt.tsx";
import { Turn } from "./turn.tsx";
import { useNewestTurnInView } from "./newest-turn-in-view.ts";
import { useTurnOfAddress } from "./turn-of-address.ts";
import { useShortcuts } from "./shortcuts.ts";

interface NarrativePageProps {
  view: SessionView;
  actions: SessionActions;
  problem: ActionProblem | null;
  dismiss: () => void;
}

export function NarrativePage({ view, actions, problem, dismiss }: NarrativePageProps) {
  const composer = useRef<ComposerHandle>(null);
  /** What was sent and not yet seen as a turn. */
  const [underWay, setUnderWay] = useState<{ text: string; turnId: string | null } | null>(null);
  const head = view.turns.at(-1);
  const isRunning = head?.status === "running";
  const isBusy = isRunning || underWay !== null;
  const scroller = useNewestTurnInView(head, view.asks.length, underWay?.text ?? null);
  useTurnOfAddress(scroller);

  const send = useCallback(
    async (text: string, choiceId?: string): Promise<boolean> => {
      setUnderWay({ text, turnId: null });
      composer.current?.focus();
      const turnId = await actions.send(choiceId === undefined ? text : { choiceId });
      setUnderWay(turnId === null ? null : { text, turnId });
      return turnId !== null;
    },
    [actions],
  );
  const hasArrived = view.turns.some(({ turnId }) => turnId === underWay?.turnId);
  useEffect(() => {
    if (hasArrived) setUnderWay(null);
  }, [hasArrived]);
  useEffect(() => {
    // What had the focus may have gone with the turn it belonged to.
    if (document.activeElement === document.body) composer.current?.focus();
  }, [head?.turnId]);
  const choices = isBusy || view.ended ? [] : view.choices;
  const choose = useCallback(({ id, label }: OfferedChoice) => void send(label, id), [send]);
  useShortcuts({ head, isBusy, choices, choose, actions });

  return (
    <div className="narrative">
      <div className="story">
        <div className="scroll" ref={scroller} tabIndex={0} role="group" aria-label="The story so far">
          <div className="column">
            {view.turnCount > view.turns.length && (
              <p className="earlier">Earlier turns are kept, but not shown here.</p>
            )}
            {view.turns.map((turn) => (
              <Turn
                key={turn.turnId}
                turn={turn}
                isHead={turn === head}
                isBusy={isBusy}
                isAsking={turn === head && view.asks.length > 0}
                actions={actions}
              />
            ))}
            {view.asks.map((ask) => (
              <AskCard key={ask.askId} ask={ask} answer={actions.answer} />
            ))}
            {underWay !== null && !hasArrived && <Prompt text={underWay.text} isUnderWay />}
            <Choices choices={choices} choose={choose} />
          </div>
        </div>
        <div className="below">
          {problem !== null && (
            <Notice
              isNews
              message={problem.message}
              details={problem.details}
              retry={problem.retry}
              dismiss={dismiss}
            />
          )}
          <Composer
            ref={composer}
            sessionId={view.sessionId}
            isBusy={isBusy}
            hasEnded={view.ended || (head?.ending ?? null) !== null}
            send={send}
          />
        </div>
      </div>
      <LiveRegion view={view} />
    </div>
  );
}
