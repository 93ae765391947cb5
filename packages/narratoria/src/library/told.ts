/** What a story told last and what can be done now, for whoever plays without a page: bots, tests, other programs. */
import type { JsonObject } from "@narratoria/tool/json";
import {
  isRefusal,
  type NewSession,
  type PromptOptions,
  type Said,
  type Refusal,
  type SessionService,
} from "../runtime/seams/session-service.ts";
import type { OfferedChoice } from "../story/choices.ts";
import type { TurnStatus } from "../story/session-state.ts";
import type { SessionView } from "../story/session-view.ts";

export interface Told {
  sessionId: string;
  turnId: string | null;
  status: TurnStatus | null;
  /** Markdown. */
  text: string;
  /** What the player should know besides: that a turn was stopped, for example. */
  notice: string | null;
  choices: OfferedChoice[];
  /** How the story ended; null while it goes on. */
  ending: string | null;
  state: JsonObject;
}

export function toldOf(view: SessionView): Told {
  const turn = view.turns.at(-1);
  const texts = turn?.passages.flatMap((passage) => (passage.kind === "text" ? [passage.text] : [])) ?? [];
  return {
    sessionId: view.sessionId,
    turnId: view.headTurnId,
    status: turn?.status ?? null,
    text: texts.join("\n\n"),
    notice: turn?.notice ?? null,
    choices: view.choices,
    ending: turn?.ending ?? null,
    state: view.state,
  };
}

/** Starts a session and waits for its opening scene. */
export async function beginAndWait(sessions: SessionService, options: NewSession): Promise<Told | Refusal> {
  const created = await sessions.create(options);
  if (isRefusal(created)) return created;
  await sessions.idle(created.sessionId);
  return told(sessions, created.sessionId);
}

/** Sends a prompt and waits for what the story answers. */
export async function sayAndWait(
  sessions: SessionService,
  sessionId: string,
  said: Said,
  how?: PromptOptions,
): Promise<Told | Refusal> {
  const begun = await sessions.prompt(sessionId, said, how);
  if (isRefusal(begun)) return begun;
  await sessions.turnEnded(sessionId, begun.turnId);
  return told(sessions, sessionId);
}

async function told(sessions: SessionService, sessionId: string): Promise<Told | Refusal> {
  const view = await sessions.view(sessionId);
  return isRefusal(view) ? view : toldOf(view);
}
