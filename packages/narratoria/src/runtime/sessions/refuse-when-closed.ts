/** What was asked for before the end and is still being read at the end meets a closed store: no bug, and told in words. */
import { conflict } from "../seams/refusals.ts";
import type { SessionService } from "../seams/session-service.ts";

/** Around every method there is, so that none can be forgotten. */
export function refuseWhenClosed(service: SessionService, isClosed: () => boolean): SessionService {
  return new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...given: unknown[]): Promise<unknown> => {
        try {
          return await Reflect.apply(member, target, given);
        } catch (error) {
          // What node:sqlite says of a closed database, and of its statements.
          if (!isClosed() || (error as NodeJS.ErrnoException).code !== "ERR_INVALID_STATE") throw error;
          return conflict("Narratoria is being shut down.");
        }
      };
    },
  });
}
