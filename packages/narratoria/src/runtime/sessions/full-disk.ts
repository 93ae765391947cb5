/** A full disk is no bug: what asks for a write then is refused in words, and works again when there is room. */
import type { Refusal, SessionService } from "../seams/session-service.ts";

export const NO_ROOM = "There is no room left on the disk, so this could not be kept. Make some room and try again.";

export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /disk.*full|ENOSPC|no space/i.test(error.message);
}

export function refuseWhenDiskFull(service: SessionService): SessionService {
  return {
    ...service,
    create: (options) => service.create(options).catch(refuse),
    prompt: refusing((...given: Parameters<SessionService["prompt"]>) => service.prompt(...given)),
    retry: refusing((...given: Parameters<SessionService["retry"]>) => service.retry(...given)),
    undo: refusing((...given: Parameters<SessionService["undo"]>) => service.undo(...given)),
    moveHead: refusing((...given: Parameters<SessionService["moveHead"]>) => service.moveHead(...given)),
    fork: refusing((...given: Parameters<SessionService["fork"]>) => service.fork(...given)),
    resume: refusing((...given: Parameters<SessionService["resume"]>) => service.resume(...given)),
    discard: refusing((...given: Parameters<SessionService["discard"]>) => service.discard(...given)),
    rename: refusing((...given: Parameters<SessionService["rename"]>) => service.rename(...given)),
    bookmark: refusing((...given: Parameters<SessionService["bookmark"]>) => service.bookmark(...given)),
    end: refusing((...given: Parameters<SessionService["end"]>) => service.end(...given)),
    remove: (sessionId) => service.remove(sessionId).catch(refuse),
  };
}

function refusing<Given extends unknown[], Answer>(
  work: (...given: Given) => Answer | Refusal,
): (...given: Given) => Answer | Refusal {
  return (...given) => {
    try {
      return work(...given);
    } catch (error) {
      return refuse(error);
    }
  };
}

function refuse(error: unknown): Refusal {
  if (!isDiskFull(error)) throw error;
  return { kind: "refused", code: "conflict", message: NO_ROOM };
}
