/** A connection to a module that is a service: POST /health, /describe, /invoke. Redirects are not followed. */
import { readJson, type Json, type JsonObject } from "@narratoria/tool/json";
import type { ModuleError } from "../runtime/seams/modules.ts";
import { MAX_MESSAGE_BYTES, type ModuleAnswer, type ModuleConnection, type ModuleMethod } from "./module-client.ts";

export function createHttpConnection(url: string, maxMessageBytes = MAX_MESSAGE_BYTES): ModuleConnection {
  const base = url.replace(/\/+$/, "");

  async function send(method: ModuleMethod, params: JsonObject, signal: AbortSignal): Promise<ModuleAnswer> {
    const message = JSON.stringify(params);
    if (Buffer.byteLength(message) > maxMessageBytes) {
      return failed("bad_request", `the request has more than ${maxMessageBytes} bytes`);
    }
    try {
      const response = await fetch(`${base}/${method}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: message,
        redirect: "manual",
        signal,
      });
      const text = await readText(response, maxMessageBytes);
      if (text === null) return failed("internal", `the answer has more than ${maxMessageBytes} bytes`);
      return { kind: "body", body: parse(text), otherwise: errorOf(response.status) };
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      return failed("unreachable", `${base} cannot be reached: ${reasonOf(error)}`);
    }
  }

  return {
    send,
    giveUp: () => {},
    takeOutput: () => ({ stderr: "", warnings: [] }),
    isUp: () => true,
    cpuMs: () => null,
    close: () => Promise.resolve(),
  };
}

/** Null when it is longer than it may be. */
async function readText(response: Response, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): Json | undefined {
  const reading = readJson(text);
  return reading.kind === "value" ? reading.value : undefined;
}

/** What a status means when the body says nothing valid. */
function errorOf(status: number): ModuleError {
  const message = `the module answered with status ${status} and nothing that can be understood`;
  return { code: codeOf(status), message, details: { status } };
}

function codeOf(status: number): string {
  switch (status) {
    case 400:
    case 413:
      return "bad_request";
    case 401:
    case 403:
      return "forbidden";
    case 404:
    case 405:
    case 501:
      return "unsupported_op";
    case 408:
    case 504:
      return "timeout";
    case 502:
    case 503:
      return "unreachable";
    default:
      return "internal";
  }
}

function failed(code: string, message: string): ModuleAnswer {
  return { kind: "failed", error: { code, message } };
}

/** fetch says "fetch failed"; why is in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
