/**
 * Where the plans of a turn take place: what their tools ask goes to the player, and while the player thinks all limits
 * of the turn stand still; what they say goes to the session's log.
 */
import type { EventDraft } from "../../story/event.ts";
import type { SessionState } from "../../story/session-state.ts";
import type { SizedState } from "../../story/state-size.ts";
import { createTurnLimits } from "../execution/turn-limits.ts";
import type { AskDesk } from "../policy/asks.ts";
import { createConsent } from "../policy/consent.ts";
import type { Hooks } from "../policy/hooks.ts";
import type { Permissions } from "../policy/permissions.ts";
import type { Clock } from "../seams/clock.ts";
import { createTurnClocks } from "../seams/deadlines.ts";
import { UNGATED, type EventWriter, type PlanScene, type Proposal, type Verdict } from "../seams/engine.ts";
import type { StoryIdentity } from "../seams/resolved-tool.ts";
import type { Player, Question } from "../seams/player.ts";
import type { TurnSession } from "./turn-session.ts";

/** Those of the host who watch over what happens in a turn. */
export interface SceneKeepers {
  readonly clock: Clock;
  readonly permissions: Permissions;
  readonly asks: AskDesk;
  readonly hooks: Hooks;
  newId(): string;
}

export function createScene(
  keepers: SceneKeepers,
  session: TurnSession,
  turnId: string,
  { dir, title, version }: StoryIdentity,
  signal: AbortSignal,
): PlanScene {
  const { sessionId } = session;
  const { permissions, hooks } = keepers;
  const clocks = createTurnClocks(keepers.clock);
  const append = (draft: EventDraft): void => void session.append([draft]);
  const player: Player = { ask };

  async function ask(question: Question): Promise<string | null> {
    const askId = keepers.newId();
    append({ event: "ask:open", component: "policy", data: { askId, turnId, ...question } });
    const allowed = question.answers.map(({ value }) => value);
    return clocks.attempts.standStill(async () => {
      const value = await keepers.asks.wait({ sessionId, askId, allowed }, signal);
      const status = value === null ? "none" : "ok";
      append({ event: "ask:answer", component: "policy", data: { askId, value }, status });
      return value;
    });
  }

  async function gate(proposal: Proposal): Promise<Verdict> {
    if (!hooks.isGated(proposal.event, sessionId)) return UNGATED;
    const about = { component: "kernel", session_id: sessionId, turn_id: turnId } as const;
    return hooks.pass({ event: proposal.event, data: proposal.describe(), ...about }, { askUser, note: append });
  }

  async function askUser(question: string): Promise<boolean> {
    const answers = [
      { value: "yes", label: "Go on" },
      { value: "no", label: "Don't" },
    ];
    return (await ask({ toolId: null, question, reason: null, answers })) === "yes";
  }

  return {
    whose: { story: { dir, title, version }, sessionId },
    consent: createConsent(permissions, dir, player, gate),
    player,
    clocks,
    limits: createTurnLimits(),
    state: () => sized(session.state()),
    glance: () => sized(session.glance()),
  };
}

function sized({ state, stateSize }: Pick<SessionState, "state" | "stateSize">): SizedState {
  return { value: state, size: stateSize };
}

/** The session's log, as plans write it. */
export function createWriter(session: TurnSession): EventWriter {
  const linesOf = new Map<string, number>();
  return {
    emit: (draft) => {
      const [event] = session.append([draft]);
      if (event === undefined) throw new Error("the log wrote nothing");
      return event;
    },
    emitLines: (draft, lines, progress) => {
      const span = draft.span_id ?? "";
      const number = linesOf.get(span) ?? 0;
      const texts = lines.map(({ text }) => text);
      session.appendLines(draft, number, texts, progress);
      linesOf.set(span, number + lines.length);
    },
  };
}
