/** How the session service says no: values, not exceptions. */
import type { Refusal } from "./session-service.ts";

export function refused(code: Refusal["code"], message: string, details?: Refusal["details"]): Refusal {
  return { kind: "refused", code, message, ...(details && { details }) };
}

export function conflict(message: string): Refusal {
  return refused("conflict", message);
}

export function notFound(what: string, id: string): Refusal {
  return refused("not_found", `there is no ${what} ${JSON.stringify(id.slice(0, 80))}`);
}
