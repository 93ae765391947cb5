/** The whole page: the start page, or one session in its frame. */
import { useRoute } from "./route.ts";
import { SessionPage } from "./session-page.tsx";
import { StartPage } from "./start/start-page.tsx";

export function App() {
  const route = useRoute();
  if (route.kind === "start") return <StartPage />;
  // A new key starts afresh: drafts, notices and streams belong to one session.
  return <SessionPage key={route.sessionId} sessionId={route.sessionId} place={route.place} />;
}
