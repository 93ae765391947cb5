/**
 * What all tools of a turn may say together, over all their attempts: past it the attempt that wanted more ends, and
 * what was taken before stays in force. Log lines are left out: they never fill a view, and a tool's `outputMb` bounds
 * them. `take-events.ts` asks; `docs/limits.md` has the numbers.
 */
import { Buffer } from "node:buffer";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { choicesIn } from "../../story/choices.ts";
import type { ErrorDetail } from "../../story/execution-result.ts";
import type { TurnLimits } from "../seams/engine.ts";

export const MOST_TURN_EVENTS = 100_000;
export const MOST_TURN_BYTES = 64 * 1024 * 1024;
export const MOST_TURN_CHOICES = 1_000;

export function createTurnLimits(): TurnLimits {
  let events = 0;
  let bytes = 0;
  let choices = 0;

  function refuse(event: ToolEvent, text: string): ErrorDetail | null {
    if (event.type === "log") return null;
    const withThis = {
      bytes: bytes + Buffer.byteLength(text),
      choices: choices + (event.type === "ui_event" ? (choicesIn(event)?.length ?? 0) : 0),
    };
    if (events >= MOST_TURN_EVENTS) return tooMuch(`${MOST_TURN_EVENTS} events besides log lines`);
    if (withThis.bytes > MOST_TURN_BYTES) return tooMuch(`${MOST_TURN_BYTES} bytes of events besides log lines`);
    if (withThis.choices > MOST_TURN_CHOICES) return tooMuch(`${MOST_TURN_CHOICES} choices`);
    events++;
    ({ bytes, choices } = withThis);
    return null;
  }
  return { refuse };
}

function tooMuch(most: string): ErrorDetail {
  return { category: "forbidden", code: "TURN_LIMIT", message: `the tools of a turn may give ${most} in all` };
}
