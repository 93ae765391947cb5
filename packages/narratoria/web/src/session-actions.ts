/** What a player can do in a session. Each tells the server; a refusal becomes a notice, and nothing typed is lost. */
import type { TurnView } from "../../src/story/session-view.ts";
import type { Said } from "../../src/runtime/seams/session-service.ts";
import { type ApiAnswer, api } from "./api.ts";
import { navigate } from "./route.ts";
import type { SessionStore } from "./session-store.ts";

export interface ActionProblem {
  message: string;
  details: string | null;
  /** Does again what failed; null when that makes no sense. */
  retry: (() => void) | null;
}

export interface SessionActions {
  /** The turn it began, or null when it was refused. A parent makes it another take of that parent's next moment. */
  send: (said: Said, parentTurnId?: string) => Promise<string | null>;
  retry: (turnId: string) => void;
  /** Goes back to just before this turn. */
  undo: (turn: TurnView) => void;
  goTo: (turnId: string) => void;
  fork: (turnId: string) => void;
  stop: () => void;
  resume: (turnId: string) => void;
  discard: (turnId: string) => void;
  answer: (askId: string, value: string) => void;
  /** No name takes the bookmark away. */
  bookmark: (turnId: string, name: string | null) => void;
}

export function createSessionActions(
  sessionId: string,
  store: SessionStore,
  report: (problem: ActionProblem | null) => void,
): SessionActions {
  const attempt = async <T>(call: () => Promise<ApiAnswer<T>>, succeeded: (value: T) => void): Promise<boolean> => {
    const answer = await call();
    if (answer.kind === "ok") {
      report(null);
      succeeded(answer.value);
      return true;
    }
    const retry = answer.code === "offline" ? () => void attempt(call, succeeded) : null;
    report({ message: answer.message, details: answer.details, retry });
    return false;
  };
  const nothing = (): void => undefined;
  /** Nobody knows whether it arrived. */
  let unanswered: { said: Said; parentTurnId: string | undefined; key: string } | null = null;
  return {
    send: async (said, parentTurnId) => {
      const isSentAgain = unanswered?.parentTurnId === parentTurnId && isSame(unanswered?.said, said);
      const prompt = unanswered !== null && isSentAgain ? unanswered : { said, parentTurnId, key: newKey() };
      const answer = await api.prompt(sessionId, said, prompt.key, parentTurnId);
      unanswered = answer.kind === "failed" && answer.code === "offline" ? prompt : null;
      if (answer.kind === "ok") report(null);
      // The words are still in the field: sending them again is the retry.
      else report({ message: answer.message, details: answer.details, retry: null });
      return answer.kind === "ok" ? answer.value.turnId : null;
    },
    retry: (turnId) => void attempt(() => api.retry(sessionId, turnId), nothing),
    undo: ({ turnId, parentTurnId }) => {
      const state = store.get();
      const isHead = state.kind === "ready" && state.view.headTurnId === turnId;
      if (isHead) void attempt(() => api.undo(sessionId), store.accept);
      else if (parentTurnId !== null) void attempt(() => api.moveHead(sessionId, parentTurnId), store.accept);
    },
    goTo: (turnId) => void attempt(() => api.moveHead(sessionId, turnId), store.accept),
    fork: (turnId) =>
      void attempt(
        () => api.fork(sessionId, turnId),
        (forked) => navigate({ kind: "session", sessionId: forked.sessionId, place: "narrative" }),
      ),
    stop: () => void attempt(() => api.cancel(sessionId), store.accept),
    resume: (turnId) => void attempt(() => api.resume(sessionId, turnId), store.accept),
    discard: (turnId) => void attempt(() => api.discard(sessionId, turnId), store.accept),
    bookmark: (turnId, name) => void attempt(() => api.bookmark(sessionId, turnId, name), store.accept),
    answer: (askId, value) => void attempt(() => api.answer(sessionId, askId, value), nothing),
  };
}

function isSame(a: Said | undefined, b: Said): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** `randomUUID` is there only for pages that came by HTTPS or from this machine. */
function newKey(): string {
  return crypto.getRandomValues(new Uint8Array(16)).reduce((key, byte) => key + byte.toString(16).padStart(2, "0"), "");
}
