/**
 * A module that keeps the narrator's context: a story's mount of kind `context` is asked for the history that the narrator is
 * told (`get`), to shorten one that is too long (`compact`), and told what was told (`set`). It only changes a view: the
 * log keeps everything. What it does not answer well is as it would be without it.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { EventDraft } from "../../story/event.ts";
import type { Telling } from "../../story/session-state.ts";
import { NARRATOR_BYTES, sizeOfTellings } from "../../story/tellings.ts";
import type { ModuleCaller } from "../policy/call-module.ts";
import type { MountedStory, ResolvedTool } from "../seams/resolved-tool.ts";
import { compactionOf, historyFrom, type NarratorHistory } from "./narrator-context.ts";

/** For one turn of one session. */
export interface ContextKeeper {
  /** What the narrator is told of the turns before: so many there were, and of the latest this was told. */
  history(tellings: readonly Telling[], turns: number): Promise<NarratorHistory>;
  /** What was told now. */
  remember(turnId: string, told: Telling): Promise<void>;
}

/** Where a story has no such module, or it was not granted what it needs. */
export const PLAIN_KEEPER: ContextKeeper = {
  history: (tellings, turns) => Promise.resolve(historyFrom(tellings, turns)),
  remember: () => Promise.resolve(),
};

export type OpenContext = (
  story: MountedStory,
  sessionId: string,
  note: (draft: EventDraft) => void,
) => Promise<ContextKeeper>;

const ANSWER_MS = 5_000;
const NEVER = new AbortController().signal;

export function openModuleContext(caller: ModuleCaller): OpenContext {
  return async (story, sessionId, note) => {
    const tool = [...story.mounts.values()].find(isContextModule);
    if (tool === undefined) return PLAIN_KEEPER;
    const { decisions, refusal } = await caller.judge({ tool, storyDir: story.dir });
    decisions.forEach(note);
    if (refusal !== null) return PLAIN_KEEPER;
    return createKeeper(async (op, args) => {
      const call = { op, args, sessionId, timeoutMs: tool.manifest?.timeoutMs ?? ANSWER_MS };
      const { reply, durationMs } = await caller.call({ tool, storyDir: story.dir }, call, NEVER);
      const about = { component: "narrator", module: tool.skill, duration_ms: Math.round(durationMs) } as const;
      const error = reply.kind === "error" ? { error: reply.error } : {};
      note({ event: "module:invoke", status: reply.kind, data: { op }, ...error, ...about });
      return reply.kind === "ok" ? reply.result : null;
    });
  };
}

/** `ask` gives null when the module has no answer. */
function createKeeper(ask: (op: "get" | "set" | "compact", args: JsonObject) => Promise<Json>): ContextKeeper {
  async function history(tellings: readonly Telling[], turns: number): Promise<NarratorHistory> {
    const plain = historyFrom(tellings, turns);
    const fitting = plain.compaction.length === 0 ? plain : ((await shorten(tellings)) ?? plain);
    const got = readHistory(await ask("get", { key: "history", value: asJson(fitting.history) }));
    const noted = { event: "context:get", component: "narrator", data: { key: "history" } } as const;
    return { history: got ?? fitting.history, compaction: [...fitting.compaction, noted] };
  }

  async function shorten(tellings: readonly Telling[]): Promise<NarratorHistory | null> {
    const args = { key: "history", value: asJson(tellings), limit_bytes: NARRATOR_BYTES };
    const shortened = readHistory(await ask("compact", args));
    return shortened === null ? null : { history: shortened, compaction: compactionOf(tellings, shortened) };
  }

  return {
    history,
    remember: async (turnId, { prompt, narrative }) => {
      await ask("set", { key: "history", turn_id: turnId, value: { prompt, narrative } });
    },
  };
}

function asJson(tellings: readonly Telling[]): Json {
  return tellings.map(({ prompt, narrative }) => ({ prompt, narrative }));
}

/** Null when it is no history, or does not fit. */
function readHistory(value: Json): Telling[] | null {
  if (!Array.isArray(value)) return null;
  const history = value.map(readTelling).filter((telling) => telling !== null);
  return history.length === value.length && sizeOfTellings(history) <= NARRATOR_BYTES ? history : null;
}

function readTelling(entry: Json): Telling | null {
  if (!isJsonObject(entry)) return null;
  const { prompt, narrative } = entry;
  const isTelling = (prompt === null || typeof prompt === "string") && typeof narrative === "string";
  return isTelling ? { prompt, narrative } : null;
}

function isContextModule({ manifest }: ResolvedTool): boolean {
  return manifest?.kind === "context" && manifest.protocol === "amplifier/1";
}
