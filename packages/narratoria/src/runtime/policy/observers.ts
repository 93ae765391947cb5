/**
 * Tells observers what has happened, after it was committed. Each has its own place in each session's log: who is at the
 * end is told at once, who is busy reads on from there when it is done. `hooks.ts` knows who they are.
 *
 * Invariants:
 * 1. An observer hears every event of a session that it wants once, in the log's order, and nothing is kept for it.
 * 2. No observer delays or breaks what it observes: it is called later, and its errors are its own.
 * 3. One that does not answer, again and again, misses what is waiting for it by then.
 * 4. That it was told is an event, for many tellings together; it is told to nobody.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { DraftOf, EventError, NarratoriaEvent } from "../../story/event.ts";
import type { Clock } from "../seams/clock.ts";
import { hears, type Hooks, type Observer } from "./hooks.ts";

export interface Observers {
  /** What was committed to a session. */
  observe(sessionId: string, events: readonly NarratoriaEvent[]): void;
  /** The session is gone. */
  forget(sessionId: string): void;
  /** Lets them hear what they have not heard yet, for so long at most; from then on nobody is told anything. */
  close(mostMs: number): Promise<void>;
}

/** What observers hear of. */
export interface ObservedLog {
  /** The next events of a session after a number, not all at once; none when there is none. */
  read(sessionId: string, after: number): readonly NarratoriaEvent[];
  note(sessionId: string, draft: DraftOf<"module:invoke">): void;
  /** Sees to it that the hooks of a session's story are known; null when they are. */
  introduce(sessionId: string): Promise<void> | null;
}

/** Why an observer did not take an event. */
export class HookFailed extends Error {
  readonly code: string;
  constructor({ code, message }: EventError) {
    super(message);
    this.code = code;
  }
}

/** How far an observer has come in one session. */
interface Place {
  readonly sessionId: string;
  readonly observer: Observer;
  at: number;
  isBusy: boolean;
  /** One after the other, that it did not answer. */
  unanswered: number;
  toNote: Tellings | null;
}

/** Since they were last noted. */
interface Tellings {
  events: number;
  failed: number;
  missed: number;
  durationMs: number;
  error: EventError | null;
  timer: NodeJS.Timeout;
}

const NOTE_EVERY_MS = 1_000;
const MOST_UNANSWERED = 3;

export function createObservers(hooks: Pick<Hooks, "observersOf">, log: ObservedLog, clock: Clock): Observers {
  /** Committed, and not handed out yet. */
  let pending: { sessionId: string; event: NarratoriaEvent }[] = [];
  const places = new Map<string, Map<Observer, Place>>();
  const introductions = new Map<string, Promise<void>>();
  const tellings = new Set<Promise<void>>();
  let isClosed = false;

  function observe(sessionId: string, events: readonly NarratoriaEvent[]): void {
    if (isClosed) return;
    if (!introductions.has(sessionId)) introduce(sessionId);
    if (!introductions.has(sessionId) && hooks.observersOf(sessionId).length === 0) return;
    if (pending.length === 0) setImmediate(handOut);
    for (const event of events) if (!isDelivery(event)) pending.push({ sessionId, event });
  }

  function introduce(sessionId: string): void {
    const introduced = log
      .introduce(sessionId)
      ?.catch(() => {})
      .finally(() => introductions.delete(sessionId));
    if (introduced !== undefined) introductions.set(sessionId, introduced);
  }

  function handOut(): void {
    const handed = pending;
    pending = [];
    for (const { sessionId, event } of handed) {
      const introduced = introductions.get(sessionId);
      if (introduced === undefined) giveAll(sessionId, event);
      else void introduced.then(() => giveAll(sessionId, event));
    }
  }

  function giveAll(sessionId: string, event: NarratoriaEvent): void {
    for (const observer of hooks.observersOf(sessionId)) give(placeOf(sessionId, observer, event), event);
  }

  function placeOf(sessionId: string, observer: Observer, { seq }: NarratoriaEvent): Place {
    const inSession = places.get(sessionId) ?? new Map<Observer, Place>();
    places.set(sessionId, inSession);
    const at = (seq ?? 0) - 1;
    const place = inSession.get(observer) ?? { sessionId, observer, at, isBusy: false, unanswered: 0, toNote: null };
    inSession.set(observer, place);
    return place;
  }

  function give(place: Place, event: NarratoriaEvent): void {
    const seq = event.seq ?? 0;
    // Who is busy finds it in the log.
    if (isClosed || place.isBusy || seq <= place.at) return;
    place.at = seq;
    if (!hears(place.observer, event.event)) return;
    const telling = tell(place, event);
    if (telling === null) return;
    place.isBusy = true;
    const done = catchUp(place, telling).finally(() => tellings.delete(done));
    tellings.add(done);
  }

  async function catchUp(place: Place, first: Promise<void>): Promise<void> {
    await first;
    for (let page = readOn(place); page.length > 0; page = readOn(place)) {
      for (const event of page) {
        if (!isTold(place)) break;
        place.at = event.seq ?? place.at;
        if (isDelivery(event) || !hears(place.observer, event.event)) continue;
        if (place.unanswered >= MOST_UNANSWERED) toNote(place).missed++;
        else await tell(place, event);
      }
    }
    place.unanswered = 0;
    place.isBusy = false;
  }

  function readOn(place: Place): readonly NarratoriaEvent[] {
    return isTold(place) ? log.read(place.sessionId, place.at) : [];
  }

  function isTold({ sessionId, observer }: Place): boolean {
    return !isClosed && places.has(sessionId) && hooks.observersOf(sessionId).includes(observer);
  }

  /** Null when it is done with the event already. Never rejects. */
  function tell(place: Place, event: NarratoriaEvent): Promise<void> | null {
    const began = clock.elapsed();
    const told = (error: unknown): void => noteTelling(place, clock.elapsed() - began, error);
    try {
      const telling = place.observer.observe(event);
      if (telling instanceof Promise) return telling.then(() => told(null), told);
      told(null);
    } catch (error) {
      told(error);
    }
    return null;
  }

  function noteTelling(place: Place, durationMs: number, thrown: unknown): void {
    if (isClosed) return;
    const tally = toNote(place);
    tally.events++;
    tally.durationMs += durationMs;
    const error = thrown === null ? null : errorOf(thrown);
    if (error !== null) tally.failed++;
    tally.error = error ?? tally.error;
    place.unanswered = error?.code === "timeout" || error?.code === "unreachable" ? place.unanswered + 1 : 0;
  }

  function toNote(place: Place): Tellings {
    const timer = place.toNote?.timer ?? setTimeout(() => note(place), NOTE_EVERY_MS).unref();
    return (place.toNote ??= { events: 0, failed: 0, missed: 0, durationMs: 0, error: null, timer });
  }

  function note(place: Place): void {
    if (place.toNote === null) return;
    const { timer, error, durationMs, ...data } = place.toNote;
    clearTimeout(timer);
    place.toNote = null;
    log.note(place.sessionId, {
      event: "module:invoke",
      component: "kernel",
      module: place.observer.name,
      status: data.failed + data.missed === 0 ? "ok" : "error",
      duration_ms: Math.round(durationMs),
      data: { op: "on_event", ...data },
      ...(error !== null && { error }),
    });
  }

  async function heardAll(): Promise<void> {
    handOut();
    while (introductions.size + tellings.size > 0) await Promise.all([...introductions.values(), ...tellings]);
  }

  function countUnheard(place: Place): void {
    if (!place.isBusy) return;
    const unheard = log
      .read(place.sessionId, place.at)
      .filter((event) => !isDelivery(event) && hears(place.observer, event.event));
    // With the one it has not answered.
    toNote(place).missed += unheard.length + 1;
  }

  async function close(mostMs: number): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([heardAll(), sleep(mostMs, null, { signal: waiting.signal }).catch(() => {})]);
    waiting.abort();
    isClosed = true;
    for (const place of [...places.values()].flatMap((inSession) => [...inSession.values()])) {
      countUnheard(place);
      note(place);
    }
  }

  function forget(sessionId: string): void {
    for (const { toNote: tally } of places.get(sessionId)?.values() ?? []) clearTimeout(tally?.timer);
    places.delete(sessionId);
  }

  return { observe, forget, close };
}

function errorOf(thrown: unknown): EventError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: thrown instanceof HookFailed ? thrown.code : "internal", message };
}

function isDelivery(event: NarratoriaEvent): boolean {
  return event.event === "module:invoke" && event.data.op === "on_event";
}
