/** The session a person means: its id, the beginning of its id, or its title. */
import type { SessionSummary } from "../index.ts";
import { cleanLine } from "./terminal-text.ts";

export type FoundSession = { kind: "session"; session: SessionSummary } | { kind: "none"; message: string };

export function findSession(sessions: readonly SessionSummary[], name: string): FoundSession {
  const wanted = name.trim().toLowerCase();
  const exact = sessions.filter(({ sessionId }) => sessionId.toLowerCase() === wanted);
  const titled = sessions.filter(({ title }) => title.trim().toLowerCase() === wanted);
  const begun = sessions.filter(({ sessionId }) => wanted !== "" && sessionId.toLowerCase().startsWith(wanted));
  const candidates = [exact, titled, begun].find((found) => found.length > 0) ?? [];
  const [session, another] = candidates;
  if (session === undefined) {
    return {
      kind: "none",
      message: `there is no session ${JSON.stringify(cleanLine(name, 80))}; narratoria sessions list shows them`,
    };
  }
  if (another === undefined) return { kind: "session", session };
  const ids = candidates
    .slice(0, 5)
    .map(({ sessionId }) => sessionId.slice(0, 8))
    .join(", ");
  return {
    kind: "none",
    message: `${candidates.length} sessions answer to ${JSON.stringify(cleanLine(name, 80))}: ${ids}`,
  };
}
