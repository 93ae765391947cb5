/** A full disk is no bug: what asks for a write then is refused in words, and works again when there is room. */
import type { Refusal, SessionService } from "./session-service.ts";

export const NO_ROOM = "There is no room left on the disk, so this could not be kept. Make some room and try again.";

export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /disk.*full|ENOSPC|no space/i.test(error.message);
}

export function refuseWhenDiskFull(service: SessionService): SessionService {
  return {
    ...service,
    create: (options) => service.create(options).catch(refuse),
    prompt: refusing(service.prompt),
    retry: refusing(service.retry),
    undo: refusing(service.undo),
    moveHead: refusing(service.moveHead),
    fork: refusing(service.fork),
    resume: refusing(service.resume),
    discard: refusing(service.discard),
    rename: refusing(service.rename),
    bookmark: refusing(service.bookmark),
    end: refusing(service.end),
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
