/** The two small changes that both halves of the fold make to a turn. */
import type { Choice } from "@narratoria/tool/protocol";
import type { NarratoriaEvent } from "./event.ts";
import type { SessionView, TurnView } from "./session-view.ts";

/** Changes the turn an event belongs to; a turn that is not in view stays out of it. */
export function changeTurn(
  view: SessionView,
  event: NarratoriaEvent,
  change: (turn: TurnView) => TurnView,
): SessionView {
  const at = view.turns.findLastIndex(({ turnId }) => turnId === event.turn_id);
  const turn = view.turns[at];
  if (turn === undefined) return view;
  return { ...view, turns: view.turns.with(at, change(turn)) };
}

export function withChoices(choices: readonly Choice[], more: readonly Choice[]): Choice[] {
  const labels = new Set(choices.map(({ label }) => label));
  return [...choices, ...more.filter(({ label }) => !labels.has(label))];
}
