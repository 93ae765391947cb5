/** Talks to the server. Refusals come back as values with words for the player; `session-actions.ts` shows them. */
import type {
  LogLine,
  LogRange,
  Provenance,
  Removed,
  Said,
  SessionSummary,
  StorySummary,
  TreeNode,
  TurnRecord,
} from "../../src/runtime/seams/session-service.ts";
import type { MountSummary } from "../../src/runtime/policy/mount-summaries.ts";
import type { Granted } from "../../src/runtime/policy/tool-directory.ts";
import type { JsonObject } from "@narratoria/tool/json";
import type { SessionView } from "../../src/story/session-view.ts";
import { authorization } from "./sign-in.ts";

/** `isKept`: the server could not be reached, and this is what the browser kept of its last answer. */
export type ApiAnswer<T> = { kind: "ok"; value: T; isKept?: boolean } | Failure;

/** Set by the service worker on what it remembered. */
const KEPT_HEADER = "x-narratoria-kept";

export interface Failure {
  kind: "failed";
  /** The server's code, or "offline" when it could not be reached. */
  code: string;
  message: string;
  details: string | null;
}

export const api = {
  sessions: () => request<SessionSummary[]>("GET", "/api/sessions"),
  stories: () => request<StorySummary[]>("GET", "/api/stories"),
  createSession: (story?: string) => request<{ sessionId: string }>("POST", "/api/sessions", story ? { story } : {}),
  session: (id: string) => request<SessionView>("GET", pathOf(id)),
  /** `key` names this prompt: sent again because no answer came, it is the same turn. */
  prompt: (id: string, said: Said, key: string, parentTurnId?: string) =>
    request<{ turnId: string }>(
      "POST",
      `${pathOf(id)}/prompts`,
      { ...(typeof said === "string" ? { text: said } : said), ...(parentTurnId && { parentTurnId }) },
      { "idempotency-key": key },
    ),
  retry: (id: string, turnId: string) => request<{ turnId: string }>("POST", `${pathOf(id)}/retry`, { turnId }),
  undo: (id: string) => request<SessionView>("POST", `${pathOf(id)}/undo`, {}),
  moveHead: (id: string, turnId: string) => request<SessionView>("POST", `${pathOf(id)}/head`, { turnId }),
  fork: (id: string, turnId: string) => request<{ sessionId: string }>("POST", `${pathOf(id)}/fork`, { turnId }),
  cancel: (id: string) => request<SessionView>("POST", `${pathOf(id)}/cancel`, {}),
  resume: (id: string, turnId: string) =>
    request<SessionView>("POST", `${pathOf(id)}/turns/${encodeURIComponent(turnId)}/resume`, {}),
  discard: (id: string, turnId: string) =>
    request<SessionView>("POST", `${pathOf(id)}/turns/${encodeURIComponent(turnId)}/discard`, {}),
  answer: (id: string, askId: string, value: string) =>
    request<unknown>("POST", `${pathOf(id)}/answers`, { askId, value }),
  rename: (id: string, title: string) => request<SessionView>("PATCH", pathOf(id), { title }),
  /** A purge takes what would stay for forks as well. */
  remove: (id: string, isPurge = false) =>
    request<Pick<Removed, "kept">>("DELETE", `${pathOf(id)}${isPurge ? "?purge=true" : ""}`),
  /** No name takes the bookmark away. */
  bookmark: (id: string, turnId: string, name: string | null) =>
    request<SessionView>("POST", `${pathOf(id)}/bookmarks`, { turnId, name }),
  /** `story`: the folder of the story that it is played with; without one it can only be read. */
  importSession: (file: Blob, story: string | null) =>
    request<{ sessionId: string }>(
      "POST",
      `/api/sessions/import${story === null ? "" : `?story=${encodeURIComponent(story)}`}`,
      file,
    ),
  tree: (id: string) => request<TreeNode[]>("GET", `${pathOf(id)}/tree`),
  turn: (id: string, turnId: string) => request<TurnRecord>("GET", `${pathOf(id)}/turns/${encodeURIComponent(turnId)}`),
  stateAt: (id: string, turnId: string) =>
    request<{ state: JsonObject }>("GET", `${pathOf(id)}/turns/${encodeURIComponent(turnId)}/state`),
  why: (id: string, path: string) => request<Provenance>("GET", `${pathOf(id)}/why?path=${encodeURIComponent(path)}`),
  logs: (id: string, spanId: string, { from, count, width }: LogRange) => {
    const cut = width === undefined ? "" : `&width=${width}`;
    const range = `span=${encodeURIComponent(spanId)}&from=${from}&count=${count}${cut}`;
    return request<LogLine[]>("GET", `${pathOf(id)}/logs?${range}`);
  },
  /** Addresses that need no header for a while, by their paths. */
  signAddresses: (paths: string[]) =>
    request<{ addresses: { [path: string]: string }; expiresAt: string }>("POST", "/api/signed-addresses", { paths }),
  tools: () => request<MountSummary[]>("GET", "/api/tools"),
  grant: (tool: ToolOfStory, capability: string) => request<Granted>("POST", grantsOf(tool), { capability }),
  revoke: (tool: ToolOfStory, capability: string) => request<Granted>("DELETE", grantsOf(tool), { capability }),
};

/** Null when the server refuses; throws when it cannot be reached. */
export async function openEvents(
  sessionId: string,
  after: number,
  signal: AbortSignal,
): Promise<ReadableStream<BufferSource> | null> {
  const path = `${pathOf(sessionId)}/events?after=${after}&logs=runs`;
  const headers = { ...authorization(), accept: "text/event-stream" };
  const response = await fetch(path, { headers, signal, cache: "no-store" });
  return response.ok ? response.body : null;
}

export function assetPath(assetId: string): string {
  return `/api/assets/${assetId}`;
}

export function exportPath(sessionId: string): string {
  return `/api/sessions/${sessionId}/export`;
}

export interface ToolOfStory {
  name: string;
  /** Its folder. */
  story: string;
}

function grantsOf({ name, story }: ToolOfStory): string {
  return `/api/tools/${encodeURIComponent(name)}/grants?story=${encodeURIComponent(story)}`;
}

function pathOf(sessionId: string): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}`;
}

async function request<T>(
  method: string,
  path: string,
  body?: object | Blob,
  more: { [header: string]: string } = {},
): Promise<ApiAnswer<T>> {
  let response: Response;
  try {
    const content = body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) };
    const type = body instanceof Blob ? "application/octet-stream" : "application/json";
    const headers = { ...authorization(), "content-type": type, ...more };
    response = await fetch(path, { method, headers, ...content });
  } catch {
    return { kind: "failed", code: "offline", message: "Narratoria cannot be reached right now.", details: null };
  }
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return { kind: "ok", value: answer as T, isKept: response.headers.has(KEPT_HEADER) };
  return readFailure(response, answer);
}

function readFailure(response: Response, answer: unknown): Failure {
  const { error } = (answer ?? {}) as { error?: { code?: string; message?: string; details?: unknown } };
  const details = error?.details === undefined ? null : JSON.stringify(error.details, null, 2);
  const code = error?.code ?? String(response.status);
  if (response.status === 401) {
    const message =
      "This browser is not signed in: run `narratoria sign-in` where Narratoria runs, and open the address that it prints.";
    return { kind: "failed", code, message, details };
  }
  return { kind: "failed", code, message: error?.message ?? `The server answered ${response.status}.`, details };
}
