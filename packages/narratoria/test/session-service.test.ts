import { createFakeSessions } from "./fake-sessions.ts";
import { createScriptedHost, end, ok } from "./scripted-host.ts";
import { describeSessionService } from "./session-service-behaviour.ts";

describeSessionService("the real one", () => {
  const host = createScriptedHost({ narrate: ({ prompt }) => end(`Told ${prompt}.`) });
  return {
    sessions: host.sessions,
    begin: host.begin,
    happen: async (sessionId, count) => {
      for (let n = 0; n < count; n++) ok(await host.sessions.rename(sessionId, `title ${n}`));
    },
  };
});

describeSessionService("the tests' fake", () => {
  const sessions = createFakeSessions();
  return {
    sessions,
    begin: async () => sessions.add(),
    happen: async (sessionId, count) => {
      for (let n = 0; n < count; n++) sessions.append(sessionId, `line ${n}`);
    },
  };
});
