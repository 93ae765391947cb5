/** What a turn had planned and done, read back from its events: to resume it, and to show it as execution results. */
import type { JsonObject } from "@narratoria/tool/json";
import { patchOf, type EventOf, type NarratoriaEvent } from "../../story/event.ts";
import { createResultFold, type ResultFold } from "../../story/fold-result.ts";
import { MOST_EVENTS } from "../../story/kept-events.ts";
import { mergePatch, type Owned } from "../../story/merge-patch.ts";
import type { Sliced } from "../execution/slices.ts";
import type { PlannedSoFar } from "../seams/narrator.ts";
import type { ResumedTurn } from "./turn-start.ts";

const EVENTS_PER_SLICE = 500;

/** The log lines of an attempt, which stand apart from its other events. */
export interface LineReader {
  countLogLines(spanId: string): number;
  logLines(spanId: string, from: number, count: number): Iterable<NarratoriaEvent>;
}

/** `events` are all of the turn's but log lines. */
export function* rebuildTurn(
  events: readonly NarratoriaEvent[],
  stateAtStart: JsonObject,
  lines: LineReader,
): Sliced<ResumedTurn> {
  const plans: PlannedSoFar[] = [];
  const ofPlans = Map.groupBy(events, ({ request_id }) => request_id ?? null);
  const statesAfter = yield* statesAfterPlans(events, stateAtStart);
  let unfinished: ResumedTurn["unfinished"] = null;
  for (const created of events) {
    if (created.event !== "plan:create") continue;
    if (created.status === "rejected") {
      plans.push({ kind: "rejected", plan: created.data.plan, problems: created.data.problems ?? [] });
      continue;
    }
    const { plan, skills } = created.data;
    const ofPlan = ofPlans.get(plan.requestId) ?? [];
    const results = createResultFold(plan, skills ?? {});
    yield* foldWithLines(results, ofPlan, lines);
    if (ofPlan.some(({ event }) => event === "plan:end")) {
      const result = results.result(statesAfter.get(plan.requestId) ?? stateAtStart);
      plans.push({ kind: "executed", plan, result });
    } else unfinished = { plan, results };
  }
  return { plans, unfinished };
}

/** The attempts that were running when the events stop. */
export function unendedAttempts(events: readonly NarratoriaEvent[]): string[] {
  const spans = (name: "tool:start" | "tool:end"): string[] =>
    events.flatMap(({ event, span_id }) => (event === name ? (span_id ?? []) : []));
  const ended = new Set(spans("tool:end"));
  return spans("tool:start").filter((span) => !ended.has(span));
}

/**
 * In the order in which everything was printed. Of very many lines only the first and the last are read: a result keeps
 * none of those between.
 */
function* foldWithLines(results: ResultFold, events: readonly NarratoriaEvent[], lines: LineReader): Sliced<void> {
  const attempts = events.filter((event) => event.event === "tool:start");
  const pieces = attempts.flatMap((start) => linesOf(start, lines));
  const all = [...events.map((event) => ({ seq: event.seq ?? 0, fold: () => results.take(event) })), ...pieces];
  for (const [index, { fold }] of all.toSorted((a, b) => a.seq - b.seq).entries()) {
    fold();
    if (index % EVENTS_PER_SLICE === 0) yield;
  }

  function linesOf({ span_id, data }: EventOf<"tool:start">, reader: LineReader): { seq: number; fold(): void }[] {
    const span = span_id ?? "";
    const count = reader.countLogLines(span);
    const first = Math.min(count, MOST_EVENTS);
    const last = Math.max(first, count - MOST_EVENTS);
    const read = (from: number, to: number): { seq: number; fold(): void }[] =>
      [...reader.logLines(span, from, to - from)].map((line) => ({
        seq: line.seq ?? 0,
        fold: () => line.event === "tool:event" && results.takeLine(data.toolId, line.data.event),
      }));
    const beginning = read(0, first);
    const skipped = {
      seq: (beginning.at(-1)?.seq ?? 0) + 0.5,
      fold: () => results.skipLines(data.toolId, last - first),
    };
    return [...beginning, ...(last > first ? [skipped] : []), ...read(last, count)];
  }
}

/** The session state when each plan had ended, or as far as it had come. */
function* statesAfterPlans(
  events: readonly NarratoriaEvent[],
  stateAtStart: JsonObject,
): Sliced<Map<string, JsonObject>> {
  const states = new Map<string, JsonObject>();
  let state = stateAtStart;
  let owned: Owned = new WeakSet();
  let planId: string | null = null;
  for (const [index, event] of events.entries()) {
    if (index % EVENTS_PER_SLICE === 0) yield;
    // What the plan before left stays as it is.
    if (event.request_id && event.request_id !== planId) {
      planId = event.request_id;
      owned = new WeakSet();
    }
    const patch = patchOf(event);
    if (patch !== null) state = mergePatch(state, patch, owned);
    if (event.request_id) states.set(event.request_id, state);
  }
  return states;
}
