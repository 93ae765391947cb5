/**
 * A module that keeps the narrator's context: a story's mount of kind `context` is asked for the history that the narrator is
 * told (`get`), to shorten one that is too long (`compact`), and told what was told (`set`). It only changes a view: the
 * log keeps everything. What it does not answer well is as it would be without it.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { Telling } from "../../story/session-state.ts";
import type { EventDraft } from "../../story/event.ts";
import type { Modules } from "../seams/modules.ts";
import { CONTEXT_BYTES, contextFor, type NarratorContext } from "./narrator-context.ts";
import type { StoryContext } from "../seams/narrator.ts";
import type { Permissions } from "../policy/permissions.ts";
import { authorize } from "../policy/policy.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import type { SandboxLevel } from "../../story/execution-result.ts";
import { redact, secretsFor } from "../policy/secrets.ts";

export interface ModuleContextOptions {
  modules: Modules;
  permissions: Pick<Permissions, "policy" | "grants">;
  sandboxLevel: SandboxLevel;
}

export interface ContextStory {
  dir: string;
  mounts: ReadonlyMap<string, ResolvedTool>;
}

/** Asks the module, and writes down that it did; null when it has no answer. */
export type AskContext = (op: "get" | "set" | "compact", args: JsonObject) => Promise<Json>;

/** For one turn; null when the story has no such module, or it was not granted what it needs. */
export type OpenContext = (
  story: ContextStory,
  sessionId: string,
  emit: (draft: EventDraft) => void,
) => AskContext | null;

export function createModuleContext(options: ModuleContextOptions): OpenContext {
  return (story, sessionId, emit) => openContext(options, story, sessionId, emit);
}

function openContext(
  options: ModuleContextOptions,
  ...[story, sessionId, emit]: Parameters<OpenContext>
): AskContext | null {
  const tool = [...story.mounts.values()].find(isContextModule);
  if (tool === undefined) return null;
  const policy = { ...options.permissions.policy, grants: options.permissions.grants() };
  const { decisions, refusal } = authorize(tool, policy, options.sandboxLevel);
  for (const { capability, status } of decisions) {
    emit({ event: "policy:decision", component: "policy", module: tool.skill, status, data: { capability } });
  }
  if (refusal !== null) return null;
  const module = { tool, storyDir: story.dir, secrets: secretsFor(tool.needs, process.env) };

  return async (op, args) => {
    const call = { op, args, sessionId, timeoutMs: tool.manifest?.timeoutMs ?? ANSWER_MS };
    const { reply, durationMs } = await options.modules.invoke(module, call, NEVER);
    const how =
      reply.kind === "ok" ? { status: "ok" } : { status: "error", error: redact(reply.error, module.secrets) };
    const duration = { duration_ms: Math.round(durationMs) };
    emit({ event: "module:invoke", component: "narrator", module: tool.skill, data: { op }, ...duration, ...how });
    return reply.kind === "ok" ? redact(reply.result, module.secrets) : null;
  };
}

const ANSWER_MS = 5_000;
const NEVER = new AbortController().signal;

/** What the narrator is told of the turns before, the module's word counting where it has one. */
export async function historyFor(view: readonly Telling[], ask: AskContext | null): Promise<NarratorContext> {
  const plain = contextFor(view);
  if (ask === null) return plain;
  const { history, compaction } = plain.compaction.length === 0 ? plain : await compact(view, plain, ask);
  const got = readHistory(await ask("get", { key: "history", value: history as unknown as Json }));
  const noted: EventDraft = { event: "context:get", component: "narrator", data: { key: "history" } };
  return { history: got ?? history, compaction: [...compaction, noted] };
}

async function compact(
  view: readonly Telling[],
  plain: NarratorContext,
  ask: AskContext,
): Promise<NarratorContext> {
  const { history: all } = contextFor(view, Number.POSITIVE_INFINITY);
  const args = { key: "history", value: all as unknown as Json, limit_bytes: CONTEXT_BYTES };
  const shortened = readHistory(await ask("compact", args));
  if (shortened === null) return plain;
  const bytes = sizeOf(all);
  return {
    history: shortened,
    compaction: [
      { event: "context:pre_compact", component: "kernel", data: { bytes } },
      { event: "context:post_compact", component: "kernel", data: { delta_bytes: sizeOf(shortened) - bytes } },
    ],
  };
}

/** Null when it is no history, or does not fit. */
function readHistory(value: Json): StoryContext["history"] | null {
  if (!Array.isArray(value) || !value.every(isEntry)) return null;
  const history = value as unknown as StoryContext["history"];
  return sizeOf(history) <= CONTEXT_BYTES ? history : null;
}

function isEntry(entry: Json): boolean {
  if (!isJsonObject(entry)) return false;
  const { prompt, narrative } = entry;
  return (prompt === null || typeof prompt === "string") && typeof narrative === "string";
}

function sizeOf(history: StoryContext["history"]): number {
  return history.reduce(
    (sum, { prompt, narrative }) => sum + Buffer.byteLength(prompt ?? "") + Buffer.byteLength(narrative),
    0,
  );
}

function isContextModule({ manifest }: ResolvedTool): boolean {
  return manifest?.kind === "context" && manifest.protocol === "amplifier/1";
}
