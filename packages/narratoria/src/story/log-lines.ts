/** Log lines of tools: they come in bulk, so a run of them can stand as one event, and of each a view shows a part. */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { EventOf } from "./event.ts";

/** Several log lines folded as one: the last of them, and `data.lines` tells of the run that it ends. */
export interface LineRun {
  count: number;
  /** The last that was told in the run. */
  progress: number | null;
}

export function asRun(last: EventOf<"tool:event">, { count, progress }: LineRun): EventOf<"tool:event"> {
  return { ...last, data: { ...last.data, lines: { count, progress } } };
}

export function progressOf(fields: JsonObject | null | undefined): number | null {
  const { progress, current, total } = fields ?? {};
  const fraction = isNumber(progress)
    ? progress
    : isNumber(current) && isNumber(total) && total > 0
      ? current / total
      : null;
  return fraction === null ? null : Math.min(1, Math.max(0, fraction));
}

function isNumber(value: Json | undefined): value is number {
  return typeof value === "number";
}

const SHOWN_CHARACTERS = 500;

/** A line may have megabytes; a view is sent and kept many times over. */
export function shownMessage(message: string): string {
  return message.length <= SHOWN_CHARACTERS ? message : `${message.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}
