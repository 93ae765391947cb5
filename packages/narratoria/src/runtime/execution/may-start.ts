/** Whether a tool may be started: what it may have of what it needs, and what gates have to say. */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import type { ErrorDetail } from "../../story/execution-result.ts";
import type { Consent, ConsentAnswer, ConsentRequest, EventWriter } from "../seams/engine.ts";

/** One `policy:decision` for every capability the tool needs. */
export async function askConsent(
  request: ConsentRequest,
  consent: Consent,
  about: { module: string; request_id: string },
  log: EventWriter,
): Promise<ConsentGiven> {
  const { toolId } = request;
  const answer = await consent.decide(request, async ({ capability, status }) => {
    const data = { capability, toolId };
    await log.emit({ event: "policy:decision", component: "policy", status, data, ...about });
  });
  if (answer.kind === "allowed") return answer;
  return { kind: "refused", error: { category: "forbidden", code: answer.code, message: answer.message } };
}

export type ConsentGiven = Extract<ConsentAnswer, { kind: "allowed" }> | { kind: "refused"; error: ErrorDetail };

export type GatedAttempt = { kind: "go"; input: JsonObject } | { kind: "denied"; error: ErrorDetail };

/** What a hook says counts for every attempt. It may change the input. */
export async function gateAttempt(
  attempt: { toolId: string; skill: string; attempt: number; input: JsonObject },
  consent: Consent,
): Promise<GatedAttempt> {
  const verdict = await consent.gate({ event: "tool:start", describe: () => ({ ...attempt }) });
  if (verdict.kind === "deny") {
    return { kind: "denied", error: { category: "forbidden", code: "DENIED", message: verdict.reason } };
  }
  const input = verdict.changed?.["input"];
  return { kind: "go", input: isJsonObject(input) ? input : attempt.input };
}
