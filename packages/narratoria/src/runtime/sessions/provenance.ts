/** Where a value came from: the events along the way to the head that set it, newest first. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { patchOf, type NarratoriaEvent } from "../../story/event.ts";
import { lookUp, parsePointer } from "../../story/json-pointer.ts";
import type { Provenance, Setting } from "../seams/session-service.ts";
import type { Store } from "../seams/store.ts";

const MOST_SETTINGS = 50;
const PAGE = 100;

export function findProvenance(store: Store, headTurnId: string | null, path: string, state: JsonObject): Provenance {
  const tokens = parsePointer(path) ?? [];
  const settings: Settled[] = [];
  for (let at = headTurnId; at !== null && settings.length < MOST_SETTINGS;) {
    const turns = store.pathTo(at, PAGE);
    for (const { turnId } of turns.toReversed()) {
      settings.push(...settingsIn(store.turnEvents(turnId), tokens).toReversed());
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

function settingsIn(events: readonly NarratoriaEvent[], tokens: readonly string[]): Settled[] {
  const prompt = events.find((event) => event.event === "turn:start")?.data.prompt;
  const attempts = new Map(
    events.flatMap((event) => (event.event === "tool:start" ? [[event.span_id, event.data.attempt]] : [])),
  );
  return events.flatMap((event) => {
    const patch = patchOf(event);
    if (event.event !== "tool:event" || patch === null || !touches(patch, tokens)) return [];
    const setting = {
      turnId: event.turn_id ?? null,
      planId: event.request_id ?? null,
      toolId: event.data.toolId,
      skill: event.module ?? null,
      attempt: attempts.get(event.span_id) ?? 1,
      eventId: event.id,
      prompt: prompt || null,
    };
    return { setting, value: lookUp(patch, tokens) ?? null };
  });
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
