/** Talks to the server. Refusals come back as values with words for the player; `session-actions.ts` shows them. */
import type { LogLine, Provenance, SessionSummary, StorySummary } from "../../src/runtime/session-service.ts";
import type { SessionView } from "../../src/story/session-view.ts";

export type Answer<T> = { kind: "ok"; value: T } | Failure;

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
  prompt: (id: string, text: string, parentTurnId?: string) =>
    request<{ turnId: string }>("POST", `${pathOf(id)}/prompts`, { text, ...(parentTurnId && { parentTurnId }) }),
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
  why: (id: string, path: string) => request<Provenance>("GET", `${pathOf(id)}/why?path=${encodeURIComponent(path)}`),
  logs: (id: string, spanId: string, from: number, count: number) =>
    request<LogLine[]>("GET", `${pathOf(id)}/logs?span=${encodeURIComponent(spanId)}&from=${from}&count=${count}`),
};

export function eventsAddress(sessionId: string, after: number): string {
  return `${pathOf(sessionId)}/events?after=${after}`;
}

export function assetAddress(assetId: string): string {
  return `/api/assets/${encodeURIComponent(assetId)}`;
}

function pathOf(sessionId: string): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}`;
}

async function request<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
  let response: Response;
  try {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    response = await fetch(path, { method, headers: { "content-type": "application/json" }, ...content });
  } catch {
    return { kind: "failed", code: "offline", message: "Narratoria cannot be reached right now.", details: null };
  }
  const answer = await response.json().catch(() => null);
  if (response.ok) return { kind: "ok", value: answer as T };
  return readFailure(response, answer);
}

function readFailure(response: Response, answer: unknown): Failure {
  const { error } = (answer ?? {}) as { error?: { code?: string; message?: string; details?: unknown } };
  const details = error?.details === undefined ? null : JSON.stringify(error.details, null, 2);
  const code = error?.code ?? String(response.status);
  if (response.status === 401) {
    const message = "This page needs its key: open the address that Narratoria printed when it started.";
    return { kind: "failed", code, message, details };
  }
  return { kind: "failed", code, message: error?.message ?? `The server answered ${response.status}.`, details };
}
