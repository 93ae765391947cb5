/**
 * A view while events are folded into it. What the caller holds is never changed: each part is copied when it is first
 * touched and then changed in place, so that a batch of events costs its length and one copy of the turn it belongs to.
 */
import type { NarratoriaEvent } from "./event.ts";
import type { Owned } from "./merge-patch.ts";
import type { Passage, SessionView, ToolView, TurnView } from "./session-view.ts";
import { isLeftOut, leftOut, MOST_PAGE_BYTES, MOST_PASSAGES, weightOf } from "./shown-values.ts";

export interface ViewDraft {
  /** A copy of the caller's, to be changed at will; its turns only through `ownTurn`. */
  readonly view: SessionView;
  /** The turn an event belongs to, as a copy to be changed; null when it is not in view. */
  ownTurn(event: NarratoriaEvent): TurnView | null;
  /** The tool an event of its plan is about, as a copy to be changed. */
  ownTool(event: AboutTool): ToolView | null;
  /** Puts what a tool did on its turn's page, while there is room. */
  addShown(event: AboutTool, passage: Passage): void;
  /** What of the story's state this draft has copied already. */
  readonly owned: Owned;
}

type AboutTool = NarratoriaEvent & { data: { toolId: string } };

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
    const mine = { at, turn, tools: new Map<string, ToolView>(), places: null, page: pageOf(turn) };
    owned.set(turn.turnId, mine);
    return mine;
  }

  function addShown(event: AboutTool, passage: Passage): void {
    const mine = own(event);
    if (mine === null) return;
    const { page, turn } = mine;
    const weight = weightOf(passage);
    if (page.count < MOST_PASSAGES && page.bytes + weight <= MOST_PAGE_BYTES) {
      page.count++;
      page.bytes += weight;
      turn.passages.push(passage);
    } else if (!page.isFull) {
      page.isFull = true;
      turn.passages.push(leftOut(event.data.toolId));
    }
  }

  function ownTool(event: AboutTool): ToolView | null {
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
  return { view, ownTurn: (event) => own(event)?.turn ?? null, ownTool, addShown, owned: new WeakSet() };
}

/** What tools have put there. */
interface Page {
  count: number;
  bytes: number;
  /** Something was left out, and says so. */
  isFull: boolean;
}

function pageOf({ passages }: TurnView): Page {
  const page = { count: 0, bytes: 0, isFull: false };
  for (const passage of passages) {
    if (passage.kind === "text") continue;
    if (isLeftOut(passage)) {
      page.isFull = true;
      continue;
    }
    page.count++;
    page.bytes += weightOf(passage);
  }
  return page;
}

interface OwnedTurn {
  page: Page;
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
