/** The events of a turn, a page at a time: a turn may have a hundred thousand, and others wait while they are read. */
import type { EventName, EventOf, NarratoriaEvent } from "../../story/event.ts";
import type { Sliced } from "../execution/slices.ts";
import type { Store } from "../seams/store.ts";

/** Up to a number: what is written meanwhile is not among them. Of all names, or of these. */
export function* turnPages<Name extends EventName>(
  store: Pick<Store, "turnPage">,
  turnId: string,
  until: number,
  names?: readonly Name[],
): Generator<readonly EventOf<Name>[], void, undefined> {
  for (let after = 0; ;) {
    const page = store.turnPage(turnId, after, names).filter(({ seq }) => (seq ?? 0) <= until);
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.seq ?? after;
  }
}

/** All of them together. */
export function* readTurn(store: Pick<Store, "turnPage">, turnId: string): Sliced<NarratoriaEvent[]> {
  const events: NarratoriaEvent[] = [];
  for (const page of turnPages(store, turnId, Infinity)) {
    events.push(...page);
    yield;
  }
  return events;
}
