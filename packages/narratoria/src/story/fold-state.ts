/**
 * The state of a session after what happened next. Pure, and cheap: an event costs what it changes, however many came
 * before it in its turn. `fold-view.ts` makes of the same events what people see.
 */
import type { EventOf, NarratoriaEvent } from "./event.ts";
import { choicesIn, withChoices } from "./choices.ts";
import type { Owned } from "./merge-patch.ts";
import { ENABLED_SKILL, NARRATOR_MEMORY, type HeadTurn, type SessionState, type Telling } from "./session-state.ts";
import { patchSized, sizeOf } from "./state-size.ts";
import { KEPT_BYTES, latestTellings } from "./tellings.ts";

/** What of the story's state is `owned` may be changed in place: nobody but the caller holds it. */
export function foldState(
  state: SessionState,
  events: readonly NarratoriaEvent[],
  owned: Owned = new WeakSet(),
): SessionState {
  return events.reduce(
    (before, event) => ({ ...foldEvent(before, event, owned), seq: event.seq ?? before.seq }),
    state,
  );
}

/** The head went to a turn whose state is not at hand: whoever holds this one must load it anew. */
export function leavesTheState(event: NarratoriaEvent): event is EventOf<"session:head"> {
  return event.event === "session:head";
}

function foldEvent(state: SessionState, event: NarratoriaEvent, owned: Owned): SessionState {
  switch (event.event) {
    case "session:start":
      return startSession(state, event);
    case "session:end":
      return { ...state, ended: true };
    case "context:set":
      return setContext(state, event);
    case "turn:start":
      return startTurn(state, event);
    case "turn:tell":
      return changeHead(state, event, (head) => withTold(head, event.data.text));
    case "turn:interrupt":
      return changeHead(state, event, (head) => ({ ...head, status: "interrupted" }));
    case "turn:resume":
      return changeHead(state, event, (head) => ({ ...head, status: "running" }));
    case "turn:end":
      return endTurn(state, event);
    case "plan:create":
      return event.status === "rejected"
        ? state
        : changeHead(state, event, (head) => withText({ ...head, isTelling: false }, event.data.plan.narrative));
    case "tool:event":
      return foldPrinted(state, event, owned);
    default:
      return state;
  }
}

function startSession(state: SessionState, { data }: EventOf<"session:start">): SessionState {
  const initial = initialStateOf(data);
  const { dir = "", title = "", version = null } = data.story ?? {};
  return { ...state, story: { dir, title, version: version ?? null }, state: initial, stateSize: sizeOf(initial) };
}

/** What the story's state is before its first turn. */
export function initialStateOf({ plan }: EventOf<"session:start">["data"]): SessionState["state"] {
  const { state } = plan.inputs;
  return typeof state === "object" && state !== null && !Array.isArray(state) ? state : {};
}

function setContext(state: SessionState, { data, turn_id }: EventOf<"context:set">): SessionState {
  const value = data.value ?? null;
  if (data.key === NARRATOR_MEMORY && turn_id) return { ...state, memory: value };
  if (data.key !== ENABLED_SKILL) return { ...state, context: new Map(state.context).set(data.key, value) };
  if (!data.skill || typeof value !== "number") return state;
  return { ...state, enabledSkills: new Map(state.enabledSkills).set(data.skill, value) };
}

function startTurn(state: SessionState, { data }: EventOf<"turn:start">): SessionState {
  const tellings =
    state.head === null ? state.tellings : latestTellings([...state.tellings, tellingOf(state.head)], KEPT_BYTES);
  const head: HeadTurn = {
    turnId: data.turnId,
    number: data.number ?? 0,
    status: "running",
    // The opening scene answers to no prompt; its event carries an empty one.
    prompt: data.prompt || null,
    texts: [],
    isTelling: false,
    choicesBefore: state.head?.choices ?? [],
    choices: [],
  };
  return { ...state, head, tellings };
}

export function tellingOf({ prompt, texts }: HeadTurn): Telling {
  return { prompt, narrative: texts.join("\n\n") };
}

function endTurn(state: SessionState, event: EventOf<"turn:end">): SessionState {
  const { narrative, choices, health } = event.data;
  const ended = changeHead(state, event, (head) => ({
    ...withText(head, narrative ?? ""),
    status: event.status,
    choices: withChoices(head.choices, choices ?? [], { number: head.number, by: "narrator" }),
  }));
  return { ...ended, health: health ?? {} };
}

function foldPrinted(state: SessionState, event: EventOf<"tool:event">, owned: Owned): SessionState {
  const printed = event.data.event;
  if (printed.type === "state_patch") {
    const { value, size } = patchSized({ value: state.state, size: state.stateSize }, printed.patch, owned);
    return { ...state, state: value, stateSize: size };
  }
  if (printed.type !== "ui_event") return state;
  const choices = choicesIn(printed);
  if (choices === null) return state;
  return changeHead(state, event, (head) => {
    return { ...head, choices: withChoices(head.choices, choices, { number: head.number, by: "tool" }) };
  });
}

/** Only the head changes: what still comes of another turn is no longer this session's present. */
function changeHead(
  state: SessionState,
  { turn_id }: NarratoriaEvent,
  change: (head: HeadTurn) => HeadTurn,
): SessionState {
  const { head } = state;
  return head === null || head.turnId !== turn_id ? state : { ...state, head: change(head) };
}

function withText(head: HeadTurn, text: string): HeadTurn {
  return text.trim() === "" ? head : { ...head, texts: [...head.texts, text], isTelling: false };
}

function withTold(head: HeadTurn, piece: string): HeadTurn {
  const last = head.isTelling ? (head.texts.at(-1) ?? "") : "";
  const before = head.isTelling ? head.texts.slice(0, -1) : head.texts;
  return { ...head, texts: [...before, last + piece], isTelling: true };
}
