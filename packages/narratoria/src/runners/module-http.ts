/**
 * A connection to a module that is a service: POST /health, /describe, /invoke, each before the query of its address.
 * Redirects are not followed.
 */
import { Buffer, isUtf8 } from "node:buffer";
import { readJson, type Json, type JsonObject } from "@narratoria/tool/json";
import type { ModuleError } from "../runtime/seams/modules.ts";
import { MAX_MESSAGE_BYTES, type ModuleAnswer, type ModuleConnection, type ModuleMethod } from "./module-client.ts";

export interface Service {
  url: string;
  authorization?: string | undefined;
  maxMessageBytes?: number | undefined;
}

export function createHttpConnection(service: Service): ModuleConnection {
  const { authorization, maxMessageBytes = MAX_MESSAGE_BYTES } = service;
  const { origin, pathname, search } = new URL(service.url);
  const base = `${origin}${pathname.replace(/\/+$/, "")}`;
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    ...(authorization !== undefined && { authorization }),
  };

  async function send(method: ModuleMethod, params: JsonObject, signal: AbortSignal): Promise<ModuleAnswer> {
    const message = JSON.stringify(params);
    if (Buffer.byteLength(message) > maxMessageBytes) {
      return failed("bad_request", `the request has more than ${maxMessageBytes} bytes`);
    }
    try {
      const asked = { method: "POST", headers, body: message, redirect: "manual", signal } as const;
      const response = await fetch(`${base}/${method}${search}`, asked);
      const bytes = await readBytes(response, maxMessageBytes);
      if (bytes === null) return failed("internal", `the answer has more than ${maxMessageBytes} bytes`);
      const answer = parse(bytes);
      return { kind: "body", body: answer.body, otherwise: errorOf(response.status, answer.why) };
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
async function readBytes(response: Response, maxBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** `why`: what keeps it from being understood, as far as it goes. */
function parse(bytes: Buffer): { body: Json | undefined; why: string } {
  if (!isUtf8(bytes)) return { body: undefined, why: "what is not valid UTF-8" };
  const reading = readJson(bytes.toString("utf8").replace(/^\ufeff/, ""));
  if (reading.kind === "value") return { body: reading.value, why: "neither a success nor a failure" };
  return { body: undefined, why: reading.kind === "too_deep" ? "what is nested too deep" : "what is not valid JSON" };
}

/** What a status means when the body says nothing valid. */
function errorOf(status: number, why: string): ModuleError {
  const message = `the module answered with status ${status} and nothing that can be understood: ${why}`;
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
