/** What can end a call from outside: its time limit, a cancelled turn, too much output. The first reason wins. */
import type { AttemptPort } from "../../runtime/seams/tool-runner.ts";
import type { MountedCall } from "../mount-runner.ts";
import type { Ending } from "../judge-attempt.ts";

export interface CallLimits {
  /** Aborted when the call must end. */
  readonly signal: AbortSignal;
  ending(): Ending | null;
  end(reason: Ending): void;
  /** The call is over: nothing may end it any more. */
  stop(): void;
}

export function startLimits(call: MountedCall, port: AttemptPort, cancelled: AbortSignal): CallLimits {
  const stopping = new AbortController();
  let ending: Ending | null = null;
  const end = (reason: Ending): void => {
    if (ending !== null) return;
    ending = reason;
    stopping.abort();
  };
  const timer = port.clock.after(call.timeoutMs, () => end({ kind: "timeout" }));
  const cancel = (): void => end({ kind: "cancelled", reason: cancelled.reason });
  if (cancelled.aborted) cancel();
  else cancelled.addEventListener("abort", cancel);
  return {
    signal: stopping.signal,
    ending: () => ending,
    end,
    stop: () => {
      timer.cancel();
      cancelled.removeEventListener("abort", cancel);
    },
  };
}
