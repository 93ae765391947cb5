/**
 * The one place that turns what went wrong into an answer: `{error: {code, message, details?}}` with its status.
 * Routes return refusals as values; `create-app.ts` sends what was thrown here too.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { diskTroubleIn, type Refusal } from "../index.ts";

/** A refusal that the sessions know nothing of. */
export interface Problem {
  kind: "problem";
  status: keyof typeof CODES;
  message: string;
  details?: JsonObject | undefined;
  headers?: { [name: string]: string };
}

const CODES = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "bad_request",
  409: "conflict",
  413: "bad_request",
  416: "bad_request",
  500: "internal",
  503: "busy",
} as const;

const REFUSAL_STATUS = { bad_request: 400, not_found: 404, conflict: 409 } as const;

export function problem(status: Problem["status"], message: string, details?: JsonObject): Problem {
  return { kind: "problem", status, message, details };
}

export function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "problem";
}

export function sendProblem(c: Context, what: Problem | Refusal): Response {
  const status = what.kind === "refused" ? REFUSAL_STATUS[what.code] : what.status;
  const { message, details } = what;
  const error = { code: CODES[status], message, ...(details === undefined ? {} : { details }) };
  return c.json({ error }, status, what.kind === "problem" ? what.headers : undefined);
}

/** What was thrown: hono's own exceptions keep their status; what passes is told as that; the rest is a bug of ours, told in one line. */
export function sendThrown(c: Context, thrown: Error): Response {
  if (thrown instanceof HTTPException && thrown.status in CODES) {
    return sendProblem(c, problem(thrown.status as Problem["status"], thrown.message || "this cannot be answered"));
  }
  const trouble = diskTroubleIn(thrown);
  if (trouble !== null) return sendProblem(c, problem(503, trouble.message));
  noteBug(`${c.req.method} ${c.req.path} failed: ${thrown.stack ?? thrown.message}`);
  return sendProblem(c, problem(500, "Something went wrong in Narratoria. Nothing that was told before is lost."));
}

/** To the terminal. It may quote what a tool wrote, which must not steer it. */
export function noteBug(what: string): void {
  process.stderr.write(`narratoria: ${what.replaceAll(STEERING, "\ufffd")}\n`);
}

// oxlint-disable-next-line no-control-regex -- finding control characters is the point.
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]/g;
