/**
 * Hooks: who wants to know what happens, and who wants a say in it. Observers are told afterwards, each at its own pace;
 * gates are asked before, one after the other, and silence means no.
 *
 * Invariants:
 * 1. Ascending priority; among equals, who registered first.
 * 2. No observer delays or breaks what it observes: it is called later, its errors are its own, its backlog is bounded.
 * 3. A gate that throws, is late, or answers nonsense has denied.
 * 4. That an event was delivered to a hook is told to no hook.
 */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import type { DraftOf, EventName, NarratoriaEvent } from "../../story/event.ts";
import { shownName } from "../../story/shown-name.ts";
import type { Clock } from "../seams/clock.ts";
import type { Proposal, Verdict } from "../seams/engine.ts";

/** What a gate is asked about: it has no id, time and number yet. */
export interface GateEvent {
  readonly event: Proposal["event"];
  readonly data: JsonObject;
  readonly component: "kernel";
  readonly session_id: string;
  readonly turn_id: string;
}

/** Somebody who is told afterwards, or asked before. */
export type Hook = Observer | Gate;

export interface Observer extends Registration {
  observe(event: NarratoriaEvent): void | Promise<void>;
}

export interface Gate extends Registration {
  gate(event: GateEvent): unknown;
}

interface Registration {
  name: string;
  /** A name, all of a noun (`turn:*`), or everything (`*`). */
  event: string;
  priority: number;
  /** Whose events it hears; everybody's without it. */
  concerns?(sessionId: string): boolean;
}

export interface GateKeeper {
  /** False means no. */
  askUser(question: string): Promise<boolean>;
  /** How a gate answered. */
  note(draft: DraftOf<"module:invoke">): void;
}

export interface Hooks {
  register(hook: Hook): { remove(): void };
  /** The `hook:register` events with which a session begins. */
  announce(sessionId: string): DraftOf<"hook:register">[];
  observe(events: readonly NarratoriaEvent[]): void;
  isGated(event: Proposal["event"], sessionId: string): boolean;
  pass(event: GateEvent, keeper: GateKeeper): Promise<Verdict>;
}

const GATE_MS = 2_000;
const MOST_WAITING = 1_000;

export function createHooks(clock: Clock): Hooks {
  const hooks: Hook[] = [];
  /** Committed, and not told to anybody yet. */
  const pending: NarratoriaEvent[] = [];
  /** Of observers that are not done with an event: what happened since. */
  const backlogs = new Map<Observer, NarratoriaEvent[]>();

  function register(hook: Hook): { remove(): void } {
    const at = hooks.findIndex(({ priority }) => priority > hook.priority);
    hooks.splice(at === -1 ? hooks.length : at, 0, hook);
    return {
      remove: () => {
        const place = hooks.indexOf(hook);
        if (place !== -1) hooks.splice(place, 1);
        if (isObserver(hook)) backlogs.delete(hook);
      },
    };
  }

  function observe(events: readonly NarratoriaEvent[]): void {
    if (hooks.length === 0) return;
    if (pending.length === 0) setImmediate(deliver);
    pending.push(...events.filter((event) => !isDelivery(event)));
  }

  function deliver(): void {
    for (const event of pending.splice(0)) {
      const wanting = hooks.filter(isObserver).filter((hook) => matches(hook, event.event, event.session_id));
      for (const hook of wanting) give(hook, event);
    }
  }

  function give(hook: Observer, event: NarratoriaEvent): void {
    const backlog = backlogs.get(hook);
    if (backlog === undefined) {
      const telling = tell(hook, event);
      if (telling !== null) void catchUp(hook, telling);
    } else if (backlog.push(event) > MOST_WAITING) backlog.shift();
  }

  async function catchUp(hook: Observer, telling: Promise<void>): Promise<void> {
    const backlog: NarratoriaEvent[] = [];
    backlogs.set(hook, backlog);
    await telling;
    for (let event = backlog.shift(); event !== undefined; event = backlog.shift()) await tell(hook, event);
    backlogs.delete(hook);
  }

  function gatesFor(event: EventName, sessionId: string | null | undefined): Gate[] {
    return hooks.filter(isGate).filter((hook) => matches(hook, event, sessionId));
  }

  async function pass(event: GateEvent, keeper: GateKeeper): Promise<Verdict> {
    let current = event;
    for (const hook of gatesFor(event.event, event.session_id)) {
      const began = clock.elapsed();
      const answer = await ask(hook, current);
      const allowed =
        answer.action === "ask_user" ? await keeper.askUser(askedBy(hook, answer.reason)) : answer.action !== "deny";
      keeper.note({
        event: "module:invoke",
        component: "kernel",
        module: hook.name,
        status: answer.failed ? "error" : "ok",
        duration_ms: Math.round(clock.elapsed() - began),
        data: { op: "on_event", event: event.event, ...answer.logged, allowed },
      });
      if (!allowed) return { kind: "deny", reason: answer.reason };
      if (answer.action === "modify") current = { ...current, data: { ...current.data, ...answer.data } };
    }
    return { kind: "pass", changed: current === event ? null : current.data };
  }

  async function ask(hook: Gate, event: GateEvent): Promise<GateReply> {
    let timer = { cancel: (): void => {} };
    const late = new Promise<unknown>((settle) => {
      timer = clock.after(GATE_MS, () =>
        settle({ action: "deny", reason: `${hook.name} did not answer in time`, failed: true }),
      );
    });
    try {
      // A copy: what a gate changes without saying so must change nothing.
      return readReply(hook, await Promise.race([late, Promise.resolve(hook.gate(structuredClone(event)))]));
    } catch (error) {
      return readReply(hook, { action: "deny", reason: `${hook.name} failed: ${String(error)}`, failed: true });
    } finally {
      timer.cancel();
    }
  }

  return {
    register,
    observe,
    pass,
    isGated: (event, sessionId) => gatesFor(event, sessionId).length > 0,
    announce: (sessionId) =>
      hooks
        .filter((hook) => hook.concerns?.(sessionId) ?? true)
        .map((hook) => {
          const { name, event, priority } = hook;
          const data = { event, priority, kind: isGate(hook) ? "gate" : "observer" };
          const about = { component: "kernel", module: name, session_id: sessionId } as const;
          return { event: "hook:register", data, ...about };
        }),
  };
}

/** Null when it is done with the event already. Never rejects: an observer's errors are its own. */
function tell(hook: Observer, event: NarratoriaEvent): Promise<void> | null {
  try {
    const told = hook.observe(event);
    return told instanceof Promise ? told.catch(() => {}) : null;
  } catch {
    return null;
  }
}

/** The words are the hook's: nobody must take them for ours. */
function askedBy({ name }: Hook, question: string): string {
  return `The hook ${shownName(name)} asks: ${shownName(question, 500)}`;
}

interface GateReply {
  action: "continue" | "deny" | "modify" | "ask_user";
  reason: string;
  data: JsonObject;
  failed: boolean;
  logged: { action: string; reason?: string; data?: JsonObject };
}

function readReply(hook: Hook, answer: unknown): GateReply {
  const given = isJsonObject(answer) ? answer : {};
  const { action, reason: why, event } = given;
  const reason = typeof why === "string" ? why : `${hook.name} did not allow it`;
  const data = isJsonObject(event) && isJsonObject(event["data"]) ? event["data"] : null;
  const isKnown =
    action === "continue" || action === "deny" || action === "ask_user" || (action === "modify" && data !== null);
  if (!isKnown)
    return {
      action: "deny",
      reason: `${hook.name} gave no answer that is known`,
      data: {},
      failed: true,
      logged: { action: "deny" },
    };
  const logged = {
    action,
    ...(typeof why === "string" && { reason: why }),
    ...(action === "modify" && data !== null && { data }),
  };
  return { action, reason, data: data ?? {}, failed: given["failed"] === true, logged };
}

function matches(hook: Hook, name: EventName, sessionId: string | null | undefined): boolean {
  if (hook.concerns !== undefined && !hook.concerns(sessionId ?? "")) return false;
  if (hook.event === "*" || hook.event === name) return true;
  return hook.event.endsWith(":*") && name.startsWith(hook.event.slice(0, -1));
}

function isObserver(hook: Hook): hook is Observer {
  return "observe" in hook;
}

function isGate(hook: Hook): hook is Gate {
  return "gate" in hook;
}

function isDelivery(event: NarratoriaEvent): boolean {
  return event.event === "module:invoke" && event.data.op === "on_event";
}
