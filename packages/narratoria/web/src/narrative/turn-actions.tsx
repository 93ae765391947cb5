/** What can be done with a turn: go back before it, take it again, say it differently, fork; and its other takes. */
import type { KeyboardEvent } from "react";
import type { TurnView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { RouteLink } from "../route-link.tsx";
import { useRoute } from "../route.ts";
import type { SessionActions } from "../session-actions.ts";
import { routeToTool } from "../tools/chosen-tool.ts";

interface TurnActionsProps {
  turn: TurnView;
  isBusy: boolean;
  actions: SessionActions;
  edit: () => void;
}

export function TurnActions({ turn, isBusy, actions, edit }: TurnActionsProps) {
  const isOpening = turn.parentTurnId === null;
  const action = (label: string, icon: string, run: () => void, words: string) => (
    <button type="button" className="text-button" disabled={isBusy} onClick={run} title={words} aria-label={words}>
      <Icon name={icon} />
      <span className="action-label">{label}</span>
    </button>
  );
  return (
    <div className="turn-actions">
      <FailedToolsLink turn={turn} />
      {turn.takes.length > 1 && <Takes turn={turn} isBusy={isBusy} goTo={actions.goTo} />}
      {!isOpening && action("Undo", "undo", () => actions.undo(turn), "Undo: go back to before this turn")}
      {action("Retry", "refresh", () => actions.retry(turn.turnId), "Retry: another take of this turn")}
      {turn.prompt !== null && action("Edit", "edit", edit, "Edit: say it differently")}
      {action("Fork", "fork_right", () => actions.fork(turn.turnId), "Fork: a new session from here")}
    </div>
  );
}

/** From the story to what went wrong in it. */
function FailedToolsLink({ turn }: { turn: TurnView }) {
  const route = useRoute();
  const failed = turn.tools.filter(({ status }) => status === "failed" || status === "timeout");
  const [first] = failed;
  if (first === undefined || route.kind !== "session") return null;
  const words = failed.length === 1 ? "1 tool failed" : `${failed.length} tools failed`;
  return (
    <RouteLink className="text-button failed-link" to={routeToTool(route.sessionId, turn, first)} title="Find out why">
      <Icon name="handyman" />
      <span>{words}</span>
    </RouteLink>
  );
}

interface TakesProps {
  turn: TurnView;
  isBusy: boolean;
  goTo: (turnId: string) => void;
}

function Takes({ turn, isBusy, goTo }: TakesProps) {
  const at = turn.takes.indexOf(turn.turnId);
  const [previous, next] = [turn.takes[at - 1], turn.takes[at + 1]];
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.key === "ArrowLeft" ? previous : event.key === "ArrowRight" ? next : undefined;
    if (target === undefined || isBusy) return;
    event.stopPropagation();
    goTo(target);
  };
  const step = (target: string | undefined, label: string, icon: string) => (
    <button
      type="button"
      className="text-button"
      aria-label={label}
      disabled={target === undefined || isBusy}
      onClick={() => target !== undefined && goTo(target)}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <div className="takes" role="group" aria-label="Takes of this turn" onKeyDown={onKeyDown}>
      {step(previous, "Previous take", "chevron_left")}
      <span>
        take {at + 1} of {turn.takes.length}
      </span>
      {step(next, "Next take", "chevron_right")}
    </div>
  );
}
