/** The part of the session service about what a session was told to remember, and which skills are to be tried again. */
import { ENABLED_SKILL, NARRATOR_MEMORY } from "../../story/session-state.ts";
import { notFound, refused } from "../seams/refusals.ts";
import { isRefusal, type SessionService } from "../seams/session-service.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { SessionLog } from "./session-log.ts";

export type SessionContext = Pick<SessionService, "getContext" | "setContext" | "enableSkill">;

const OWN_KEYS = [NARRATOR_MEMORY, ENABLED_SKILL];

export function createSessionContext(open: OpenSessions, log: SessionLog): SessionContext {
  return {
    async getContext(sessionId, key) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      const value = session.present().context.get(key) ?? null;
      log.note(sessionId, { event: "context:get", component: "kernel", data: { key } });
      return { key, value };
    },

    async setContext(sessionId, key, value) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      if (OWN_KEYS.includes(key)) return refused("bad_request", `the key ${key} is Narratoria's own`);
      log.append(sessionId, [{ event: "context:set", component: "kernel", data: { key, value } }]);
      return { key, value };
    },

    async enableSkill(sessionId, skill) {
      const session = open.free(sessionId);
      if (isRefusal(session)) return session;
      const { health, head } = session.present();
      if (!Object.hasOwn(health, skill)) return notFound("failing skill", skill);
      const data = { key: ENABLED_SKILL, skill, value: head?.number ?? 0 };
      log.append(sessionId, [{ event: "context:set", component: "kernel", data }]);
      return session.view();
    },
  };
}
