/** A session that is not open is read in slices before anything is asked of it: opening a large one holds nobody up. */
import type { SessionService } from "../seams/session-service.ts";
import type { OpenSessions } from "./open-sessions.ts";

/** Around every method there is: what comes first and names no session is no matter. */
export function openFirst({ ready }: Pick<OpenSessions, "ready">, service: SessionService): SessionService {
  return new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...given: unknown[]): Promise<unknown> => {
        const [sessionId] = given;
        if (typeof sessionId === "string") await ready(sessionId);
        return Reflect.apply(member, target, given);
      };
    },
  });
}
