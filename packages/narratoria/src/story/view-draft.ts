/**
 * A view while events are folded into it. What the caller holds is never changed: each part is copied when it is first
 * touched and then changed in place, so that a batch of events costs its length and one copy of the turn it belongs to.
 */
import type { NarratoriaEvent } from "./event.ts";
import type { SessionView, ToolView, TurnView } from "./session-view.ts";

export interface ViewDraft {
  /** A copy of the caller's, to be changed at will; its turns only through `ownTurn`. */
  readonly view: SessionView;
  /** The turn an event belongs to, as a copy to be changed; null when it is not in view. */
  ownTurn(event: NarratoriaEvent): TurnView | null;
  /** The tool an event of its plan is about, as a copy to be changed. */
  ownTool(event: NarratoriaEvent & { data: { toolId: string } }): ToolView | null;
}

export function draftOf(original: SessionView): ViewDraft {
  const view = { ...original, turns: [...original.turns] };
  const owned = new Map<string, OwnedTurn>();

  function own(event: NarratoriaEvent): OwnedTurn | null {
    const known = owned.get(event.turn_id ?? "");
    if (known !== undefined && view.turns[known.at] === known.turn) return known;
    const at = view.turns.findLastIndex(({ turnId }) => turnId === event.turn_id);
    const found = view.turns[at];
    if (found === undefined) return null;
    const turn = { ...found, plans: [...found.plans], passages: [...found.passages], tools: [...found.tools] };
    view.turns[at] = turn;
    const mine = { at, turn, tools: new Map<string, ToolView>(), places: null };
    owned.set(turn.turnId, mine);
    return mine;
  }

  function ownTool(event: NarratoriaEvent & { data: { toolId: string } }): ToolView | null {
    const mine = own(event);
    if (mine === null) return null;
    const key = keyOf(event.request_id ?? "", event.data.toolId);
    const known = mine.tools.get(key);
    const at = placeOf(mine, key);
    // An interruption puts others in their places.
    if (known !== undefined && at !== undefined && mine.turn.tools[at] === known) return known;
    const found = at === undefined ? undefined : mine.turn.tools[at];
    if (at === undefined || found === undefined) return null;
    const tool = { ...found, attempts: [...found.attempts] };
    mine.turn.tools[at] = tool;
    mine.tools.set(key, tool);
    return tool;
  }
  return { view, ownTurn: (event) => own(event)?.turn ?? null, ownTool };
}

interface OwnedTurn {
  at: number;
  turn: TurnView;
  tools: Map<string, ToolView>;
  /** Where each tool stands; made when first needed, and anew when tools were added. */
  places: { count: number; byKey: Map<string, number> } | null;
}

function placeOf(mine: OwnedTurn, key: string): number | undefined {
  const { tools } = mine.turn;
  if (mine.places?.count !== tools.length) {
    const byKey = new Map(tools.map(({ planId, toolId }, index) => [keyOf(planId, toolId), index]));
    mine.places = { count: tools.length, byKey };
  }
  return mine.places.byKey.get(key);
}

function keyOf(planId: string, toolId: string): string {
  return `${planId}\n${toolId}`;
}
