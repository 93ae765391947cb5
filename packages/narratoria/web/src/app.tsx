/** The whole page: the start page, or one session in its frame. */
import { useRoute } from "./route.ts";
import { SessionPage } from "./session-page.tsx";
import { AppDialogs } from "./settings/app-dialogs.tsx";
import { StartPage } from "./start/start-page.tsx";

export function App() {
  const route = useRoute();
  const sessionId = route.kind === "session" ? route.sessionId : null;
  return (
    <>
      {route.kind === "start" ? (
        <StartPage />
      ) : (
        // A new key starts afresh: drafts, notices and streams belong to one session.
        <SessionPage key={route.sessionId} sessionId={route.sessionId} place={route.place} />
      )}
      <AppDialogs sessionId={sessionId} />
    </>
  );
}
