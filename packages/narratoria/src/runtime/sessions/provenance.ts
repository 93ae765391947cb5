/** Where a value came from: the events along the way to the head that set it, newest first. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { patchOf } from "../../story/event.ts";
import { lookUp, parsePointer } from "../../story/json-pointer.ts";
import type { Sliced } from "../execution/slices.ts";
import type { Provenance, Setting } from "../seams/session-service.ts";
import type { Store } from "../seams/store.ts";
import { turnPages } from "../turns/turn-pages.ts";

const MOST_SETTINGS = 50;
const PAGE = 100;

export function* findProvenance(
  store: Store,
  headTurnId: string | null,
  path: string,
  state: JsonObject,
): Sliced<Provenance> {
  const tokens = parsePointer(path) ?? [];
  const settings: Settled[] = [];
  for (let at = headTurnId; at !== null && settings.length < MOST_SETTINGS;) {
    const turns = store.pathTo(at, PAGE);
    for (const { turnId } of turns.toReversed()) {
      const inTurn = yield* settingsIn(store, turnId, tokens);
      settings.push(...inTurn.toReversed());
      if (settings.length >= MOST_SETTINGS) break;
    }
    at = turns[0]?.parentTurnId ?? null;
  }
  const [latest, ...before] = settings;
  return {
    path,
    value: lookUp(state, tokens) ?? null,
    setBy: latest?.setting ?? null,
    before: before.slice(0, MOST_SETTINGS).map(({ setting, value }) => ({ ...setting, value })),
  };
}

interface Settled {
  setting: Setting;
  value: Json | null;
}

/** The latest of a turn, as many as are told at all; oldest first. */
function* settingsIn(store: Store, turnId: string, tokens: readonly string[]): Sliced<Settled[]> {
  let prompt: string | null = null;
  const attempts = new Map<string | null | undefined, number>();
  let settled: Settled[] = [];
  for (const page of turnPages(store, turnId, Infinity, ["turn:start", "tool:start", "tool:event"])) {
    for (const event of page) {
      if (event.event === "turn:start") prompt = event.data.prompt || null;
      else if (event.event === "tool:start") attempts.set(event.span_id, event.data.attempt);
      else {
        const patch = patchOf(event);
        if (patch === null || !touches(patch, tokens)) continue;
        const setting = {
          turnId: event.turn_id ?? null,
          planId: event.request_id ?? null,
          toolId: event.data.toolId,
          skill: event.module ?? null,
          attempt: attempts.get(event.span_id) ?? 1,
          eventId: event.id,
          prompt,
        };
        settled.push({ setting, value: lookUp(patch, tokens) ?? null });
      }
    }
    settled = settled.slice(-MOST_SETTINGS - 1);
    yield;
  }
  return settled;
}

/** A patch sets a path when it reaches it, replaces something above it, or changes something below it. */
function touches(patch: JsonObject, tokens: readonly string[]): boolean {
  let at: Json = patch;
  for (const token of tokens) {
    if (!isJsonObject(at)) return true;
    if (!Object.hasOwn(at, token)) return false;
    at = at[token] as Json;
  }
  return true;
}
