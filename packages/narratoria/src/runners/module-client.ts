/**
 * Speaks with one module: health, describe, invoke, over whatever connection it has. `module-stdio.ts` and
 * `module-http.ts` carry the messages; `module-pool.ts` decides when there is a module at all.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { moduleError, type ModuleCall, type ModuleError, type ModuleReply } from "../runtime/seams/modules.ts";

export interface ModuleClient {
  health(): Promise<ModuleReply>;
  describe(): Promise<ModuleReply>;
  invoke(call: ModuleCall, signal: AbortSignal): Promise<ModuleReply>;
  /** What it printed beside its answers since the last time somebody asked. */
  takeOutput(): ModuleOutput;
  /** False when the next message will find a new module, which has not been asked anything yet. */
  isUp(): boolean;
  close(): Promise<void>;
}

export type ModuleMethod = "health" | "describe" | "invoke";

export interface ModuleConnection {
  /** Starts what must be started. An aborted signal gives up on the answer: should it come late, it is dropped. */
  send(method: ModuleMethod, params: JsonObject, signal: AbortSignal): Promise<Answer>;
  /** Gives up on the module as it is: the next message finds a new one. Not for what was not started here. */
  reset?(): void;
  takeOutput(): ModuleOutput;
  isUp(): boolean;
  close(): Promise<void>;
}

export interface ModuleOutput {
  stderr: string;
  warnings: string[];
}

export type Answer =
  /** `otherwise`: what it means when the body says nothing valid. */
  | { kind: "body"; body: Json | undefined; otherwise: ModuleError }
  | { kind: "failed"; error: ModuleError }
  | { kind: "aborted" };

export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
const HEALTH_MS = 2_000;
const DESCRIBE_MS = 10_000;
const NEVER = new AbortController().signal;

export function createModuleClient(connection: ModuleConnection): ModuleClient {
  async function ask(
    method: ModuleMethod,
    params: JsonObject,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<ModuleReply> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limitMs);
    try {
      const answer = await connection.send(method, params, AbortSignal.any([limit.signal, signal]));
      if (answer.kind === "failed") return { kind: "error", error: answer.error };
      if (answer.kind === "body") return readReply(method, answer.body) ?? { kind: "error", error: answer.otherwise };
      return limit.signal.aborted
        ? moduleError("timeout", `the module did not answer within ${limitMs} ms`)
        : moduleError("timeout", "nobody waits for the answer any more");
    } finally {
      clearTimeout(timer);
    }
  }

  async function resetUnlessHealthy(): Promise<void> {
    if (isTimeout(await health())) connection.reset?.();
  }

  const health = (): Promise<ModuleReply> => ask("health", {}, HEALTH_MS, NEVER);

  return {
    health,
    describe: () => ask("describe", {}, DESCRIBE_MS, NEVER),
    async invoke({ op, args, sessionId, timeoutMs }, signal) {
      const params = { op, args, ...(sessionId !== null && { session_id: sessionId }) };
      const reply = await ask("invoke", params, timeoutMs, signal);
      // It may be busy for good. Then whoever calls next must not wait for it.
      if (connection.reset !== undefined && isTimeout(reply)) void resetUnlessHealthy();
      return reply;
    },
    takeOutput: () => connection.takeOutput(),
    isUp: () => connection.isUp(),
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

function isTimeout(reply: ModuleReply): boolean {
  return reply.kind === "error" && reply.error.code === "timeout";
}
