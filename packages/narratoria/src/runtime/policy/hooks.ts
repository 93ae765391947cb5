/**
 * Hooks: who wants to know what happens, and who wants a say in it. Gates are asked here, before it happens, one after
 * the other, and silence means no; `observers.ts` tells observers afterwards.
 *
 * Invariants:
 * 1. Ascending priority; among equals, who registered first.
 * 2. However many of its patterns match, a hook is one hook: asked once, told once.
 * 3. A gate that throws, is late, or answers nonsense has denied.
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
  /** Names, all of a noun (`turn:*`), or everything (`*`). */
  events: readonly string[];
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
  /** The `hook:register` events with which a session begins, one for each pattern. */
  announce(sessionId: string): DraftOf<"hook:register">[];
  /** Those who hear of a session, in their order. */
  observersOf(sessionId: string): Observer[];
  isGated(event: Proposal["event"], sessionId: string): boolean;
  pass(event: GateEvent, keeper: GateKeeper): Promise<Verdict>;
}

const GATE_MS = 2_000;

export function createHooks(clock: Clock): Hooks {
  const hooks: Hook[] = [];

  function register(hook: Hook): { remove(): void } {
    const at = hooks.findIndex(({ priority }) => priority > hook.priority);
    hooks.splice(at === -1 ? hooks.length : at, 0, hook);
    return {
      remove: () => {
        const place = hooks.indexOf(hook);
        if (place !== -1) hooks.splice(place, 1);
      },
    };
  }

  function gatesFor(event: EventName, sessionId: string): Gate[] {
    return hooks.filter(isGate).filter((hook) => concerns(hook, sessionId) && hears(hook, event));
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
        settle({ action: "deny", reason: `${hook.name} did not answer within ${GATE_MS} ms`, failed: true }),
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
    pass,
    isGated: (event, sessionId) => gatesFor(event, sessionId).length > 0,
    observersOf: (sessionId) => hooks.filter(isObserver).filter((hook) => concerns(hook, sessionId)),
    announce: (sessionId) =>
      hooks
        .filter((hook) => concerns(hook, sessionId))
        .flatMap((hook) => {
          const { name, events, priority } = hook;
          const about = { component: "kernel", module: name, session_id: sessionId } as const;
          const kind = isGate(hook) ? "gate" : "observer";
          return events.map(
            (event) => ({ event: "hook:register", data: { event, priority, kind }, ...about }) as const,
          );
        }),
  };
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

function concerns(hook: Hook, sessionId: string): boolean {
  return hook.concerns?.(sessionId) ?? true;
}

/** Whether one of its patterns matches. */
export function hears({ events }: Pick<Hook, "events">, name: EventName): boolean {
  return events.some(
    (event) => event === "*" || event === name || (event.endsWith(":*") && name.startsWith(event.slice(0, -1))),
  );
}

function isObserver(hook: Hook): hook is Observer {
  return "observe" in hook;
}

function isGate(hook: Hook): hook is Gate {
  return "gate" in hook;
}
