/** Calls a Python function that is a service: one POST, one JSON reply, no redirects. `response.ts` reads the reply. */
import { Buffer } from "node:buffer";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { ErrorDetail } from "../../story/execution-result.ts";
import type { AttemptOutcome, AttemptReport, AttemptPort } from "../../runtime/seams/tool-runner.ts";
import { shownAddress } from "../../runtime/mounts/service-address.ts";
import { KEEPS_NOTHING, offerOfManifest, type MountedCall, type MountRunner } from "../mount-runner.ts";
import { judgeEnding } from "../judge-attempt.ts";
import { startLimits } from "./call-limits.ts";
import { readResponse, responseTooLarge, type PythonResponse } from "./response.ts";
import { requestFor, traceOf } from "./trace.ts";

export function createServiceRunner({ maxResponseBytes }: { maxResponseBytes: number }): MountRunner {
  async function run(call: MountedCall, port: AttemptPort, signal: AbortSignal): Promise<AttemptReport> {
    const began = port.clock.elapsed();
    const limits = startLimits(call, port, signal);
    const { manifest, credentials } = call.mount.tool;
    const url = manifest?.transport.url ?? "";
    const body = JSON.stringify(serviceRequest(call));
    const reply = await post({ url, authorization: credentials?.authorization, body }, maxResponseBytes, limits.signal);
    const ending = limits.ending();
    limits.stop();
    const response = reply.kind === "reply" ? judgeReply(reply) : null;
    const report = {
      exitCode: null,
      signal: null,
      stderrTail: "",
      warnings: response?.kind === "result" ? response.warnings : [],
      eventsAfterDone: 0,
      sandbox: "none" as const,
      trace: traceOf(call, "service", port.clock.elapsed() - began, { service_url: shownAddress(url) }),
    };
    if (ending !== null) return { ...report, outcome: judgeEnding(ending, call.timeoutMs) };
    if (reply.kind === "failed") return { ...report, outcome: failed(reply.error) };
    if (response?.kind === "result")
      return { ...report, outcome: { kind: "completed", summary: null }, output: response.result };
    return { ...report, outcome: failed((response as { error: ErrorDetail }).error) };
  }
  return { run, offers: offerOfManifest, ...KEEPS_NOTHING };
}

function serviceRequest(call: MountedCall): object {
  const { protocol_version, entry, payload } = requestFor(call);
  return {
    protocol_version,
    tool_name: call.mount.tool.skill,
    kind: "python",
    entry,
    payload,
    timeout_ms: call.timeoutMs,
    trace_id: call.requestId,
    project: { app_root: call.mount.storyDir, flow: call.storyTitle },
  };
}

type Reply = { kind: "reply"; status: number; reason: string; body: Buffer } | { kind: "failed"; error: ErrorDetail };

interface Post {
  url: string;
  authorization: string | undefined;
  body: string;
}

function post({ url, authorization, body }: Post, maxBytes: number, signal: AbortSignal): Promise<Reply> {
  return new Promise((settle) => {
    const fail = (error: Error): void => settle({ kind: "failed", error: requestFailed(reasonOf(error)) });
    const request = new URL(url).protocol === "https:" ? requestHttps : requestHttp;
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      accept: "application/json",
      ...(authorization !== undefined && { authorization }),
    };
    // A connection of its own: a kept one may be closed by the service at the moment of use.
    const sent = request(url, { method: "POST", headers, agent: false, signal });
    let hasResponse = false;
    sent.on("error", fail);
    // With 101 Node lets go of the connection, and tells of neither an error nor a response.
    sent.on("close", () => {
      if (!hasResponse) fail(new Error("the service left without an answer"));
    });
    sent.on("response", (response) => {
      hasResponse = true;
      response.on("error", fail);
      readBody(response, maxBytes).then(
        (read) => {
          if (read === null) settle({ kind: "failed", error: responseTooLarge(maxBytes) });
          else
            settle({
              kind: "reply",
              status: response.statusCode ?? 0,
              reason: response.statusMessage ?? "",
              body: read,
            });
          sent.destroy();
        },
        (error: unknown) => fail(error as Error),
      );
    });
    sent.end(body);
  });
}

/** Null when it is too large. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function judgeReply({ status, reason, body }: Extract<Reply, { kind: "reply" }>): PythonResponse {
  if (status >= 300 && status < 400) {
    const message = `the service answered ${status}, a redirect, which is not followed`;
    return { kind: "invalid", error: { category: "protocol_violation", code: "REDIRECTED", message } };
  }
  const response = readResponse(body);
  if ((status >= 200 && status < 300) || response.kind === "error") return response;
  return { kind: "invalid", error: requestFailed(`the service answered ${status} ${reason}`.trimEnd()) };
}

function requestFailed(reason: string): ErrorDetail {
  return { category: "process_error", code: "REQUEST_FAILED", message: `the request failed: ${reason}` };
}

/** Refused by every address of a host, the error has its reasons inside and no message of its own. */
function reasonOf(error: Error & { errors?: Error[]; code?: string }): string {
  return error.errors?.[0]?.message ?? (error.message || error.code || "no reason was given");
}

function failed(error: ErrorDetail): AttemptOutcome {
  return { kind: "failed", error };
}
