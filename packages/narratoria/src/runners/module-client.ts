/**
 * Speaks with one module: health, describe, invoke, over whatever connection it has. `module-stdio.ts` and
 * `module-http.ts` carry the messages; `modules.ts` decides when there is a module at all.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { followSignal } from "../runtime/seams/follow-signal.ts";
import { systemClock, type CallClock } from "../runtime/seams/clock.ts";
import { moduleError, type ModuleCall, type ModuleError, type ModuleReply } from "../runtime/seams/modules.ts";

export interface ModuleClient {
  health(): Promise<ModuleReply>;
  describe(): Promise<ModuleReply>;
  invoke(call: TimedCall, clock: CallClock, signal: AbortSignal): Promise<ModuleReply | NotTaken>;
  /** What it printed beside its answers since the last time somebody asked. */
  takeOutput(): ModuleOutput;
  /** False when it must not be called any more. */
  isUp(): boolean;
  cpuMs(): number | null;
  close(): Promise<void>;
}

export interface TimedCall extends ModuleCall {
  /** Since when its time runs, by the clock of the call; from now on without it. */
  began?: number;
}

/** The module was gone, in good order, before it took the message: another one can be asked. */
export interface NotTaken {
  kind: "not_taken";
  error: ModuleError;
}

/** No answer came in time. One that answers "timeout" has answered: it is not stuck. */
interface Unanswered {
  kind: "unanswered";
  error: ModuleError;
}

export type ModuleMethod = "health" | "describe" | "invoke";

export interface ModuleConnection {
  /** An aborted signal gives up on the answer: should it come late, it is dropped. */
  send(method: ModuleMethod, params: JsonObject, signal: AbortSignal): Promise<ModuleAnswer>;
  /** Gives up on the module: it does not answer any more. What was not started here stays as it is. */
  giveUp(): void;
  takeOutput(): ModuleOutput;
  isUp(): boolean;
  /** The CPU time it has used, in milliseconds; null when nobody can tell. */
  cpuMs(): number | null;
  close(): Promise<void>;
}

export interface ModuleOutput {
  stderr: string;
  warnings: string[];
}

export type ModuleAnswer =
  /** `otherwise`: what it means when the body says nothing valid. */
  | { kind: "body"; body: Json | undefined; otherwise: ModuleError }
  | { kind: "failed"; error: ModuleError }
  | NotTaken
  | { kind: "aborted" };

export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
const HEALTH_MS = 2_000;
const DESCRIBE_MS = 10_000;
/** How long one that has just been too slow may take to show that it is not stuck. */
const SIGN_OF_LIFE_MS = 1_000;
const NEVER = new AbortController().signal;

export function createModuleClient(connection: ModuleConnection): ModuleClient {
  /** While it is not known whether it is stuck, nobody else should be sent to it. */
  let suspicion: Promise<void> | null = null;

  async function ask(
    method: ModuleMethod,
    params: JsonObject,
    { limitMs, leftMs = limitMs }: { limitMs: number; leftMs?: number },
    clock: CallClock,
    signal: AbortSignal,
  ): Promise<ModuleReply | NotTaken | Unanswered> {
    const stop = followSignal(signal);
    let isOverLimit = false;
    const timer = clock.after(leftMs, () => {
      isOverLimit = true;
      stop.abort("over the limit");
    });
    try {
      const answer = await connection.send(method, params, stop.signal);
      if (answer.kind === "not_taken") return answer;
      if (answer.kind === "failed") return { kind: "error", error: answer.error };
      if (answer.kind === "body") return readReply(method, answer.body) ?? { kind: "error", error: answer.otherwise };
      const message = isOverLimit
        ? `the module did not answer${method === "invoke" ? "" : ` ${method}`} within ${limitMs} ms`
        : "nobody waits for the answer any more";
      return { kind: "unanswered", error: { code: "timeout", message } };
    } finally {
      timer.cancel();
      stop.letGo();
    }
  }

  async function describe(): Promise<ModuleReply> {
    const reply = await ask("describe", {}, { limitMs: DESCRIBE_MS }, systemClock, NEVER);
    if (reply.kind === "unanswered") connection.giveUp();
    return asReply(reply);
  }

  async function giveUpIfStuck(): Promise<void> {
    const sign = await ask("health", {}, { limitMs: SIGN_OF_LIFE_MS }, systemClock, NEVER);
    if (sign.kind === "unanswered") connection.giveUp();
    suspicion = null;
  }

  return {
    health: async () => asReply(await ask("health", {}, { limitMs: HEALTH_MS }, systemClock, NEVER)),
    describe,
    async invoke({ op, args, sessionId, timeoutMs: limitMs, began: given }, clock, signal) {
      const began = given ?? clock.elapsed();
      await suspicion;
      const leftMs = Math.max(1, limitMs - (clock.elapsed() - began));
      const params = { op, args, ...(sessionId !== null && { session_id: sessionId }) };
      const reply = await ask("invoke", params, { limitMs, leftMs }, clock, signal);
      if (reply.kind === "unanswered") suspicion ??= giveUpIfStuck();
      return reply.kind === "not_taken" ? reply : asReply(reply);
    },
    takeOutput: () => connection.takeOutput(),
    isUp: () => connection.isUp(),
    cpuMs: () => connection.cpuMs(),
    close: () => connection.close(),
  };
}

/** What a body says; null when it is neither a success nor a failure. */
function readReply(method: ModuleMethod, body: Json | undefined): ModuleReply | null {
  if (!isJsonObject(body)) return null;
  if (body["ok"] === false) return readFailure(body["error"]);
  switch (method) {
    case "health":
      return body["status"] === "ok" ? { kind: "ok", result: { status: "ok" } } : null;
    case "describe": {
      const { id: _, ...description } = body;
      return typeof body["name"] === "string" && typeof body["kind"] === "string"
        ? { kind: "ok", result: description }
        : null;
    }
    case "invoke":
      return body["ok"] === true ? { kind: "ok", result: body["result"] ?? null } : null;
  }
}

function readFailure(error: Json | undefined): ModuleReply | null {
  if (!isJsonObject(error)) return null;
  const { code, message, details } = error;
  if (typeof code !== "string" || code === "" || typeof message !== "string") return null;
  return moduleError(code, message, isJsonObject(details) ? details : undefined);
}

function asReply(reply: ModuleReply | NotTaken | Unanswered): ModuleReply {
  return reply.kind === "ok" ? reply : { kind: "error", error: reply.error };
}
