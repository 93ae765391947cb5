/** A disk that takes nothing more is no bug: whatever was asked for is refused in words, and works again when it is mended. */
import { diskTroubleIn } from "../seams/disk-trouble.ts";
import { conflict } from "../seams/refusals.ts";
import type { SessionService } from "../seams/session-service.ts";

/** Around every method there is, so that none can be forgotten. */
export function refuseOnDiskTrouble(service: SessionService): SessionService {
  return new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...given: unknown[]): Promise<unknown> => {
        try {
          return await Reflect.apply(member, target, given);
        } catch (error) {
          const trouble = diskTroubleIn(error);
          if (trouble === null) throw error;
          return conflict(trouble.message);
        }
      };
    },
  });
}
