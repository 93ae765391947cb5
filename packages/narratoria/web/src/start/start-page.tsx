/** Where to begin: sessions to go on with and stories to begin. A newcomer has neither and is put into the story. */
import "./start.css";
import { useEffect, useState } from "react";
import type { SessionSummary, StorySummary } from "../../../src/runtime/seams/session-service.ts";
import { api } from "../api.ts";
import { Icon } from "../icon.tsx";
import { Notice } from "../notice.tsx";
import { Name } from "../name.tsx";
import { listKept } from "../offline/kept-snapshots.ts";
import { navigate, type PageRoute } from "../route.ts";
import { RouteLink } from "../route-link.tsx";
import { ImportButton } from "../sessions/import-button.tsx";
import { SessionTile } from "../sessions/session-tile.tsx";
import { showDialog } from "../settings/app-dialogs.tsx";

interface Offer {
  sessions: SessionSummary[];
  stories: StorySummary[];
}

/** Who has been here and deleted everything chooses what comes next. */
const WELCOMED = "narratoria:welcomed";

export function StartPage() {
  const [offer, setOffer] = useState<Offer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  const begin = async (story?: string): Promise<void> => {
    const answer = await api.createSession(story);
    if (answer.kind === "failed") return setProblem(answer.message);
    // Going back from a newcomer's first story would only begin another.
    navigate(routeTo(answer.value.sessionId), story === undefined ? "replace" : "push");
  };
  useEffect(() => {
    document.title = "Narratoria";
    void welcome(begin).then((given) => (typeof given === "string" ? setProblem(given) : setOffer(given)));
  }, [tries]);

  const again = (): void => {
    setProblem(null);
    setTries(tries + 1);
  };
  if (problem !== null) {
    return (
      <main className="start" aria-label="Start">
        <h1>Narratoria</h1>
        <Notice isNews message={problem} details={null} retry={again} />
        <KeptStories />
      </main>
    );
  }
  if (offer === null) {
    return (
      <main className="start loading" aria-label="Start">
        <m3e-circular-progress-indicator indeterminate aria-label="Loading" />
        <p>Opening the book…</p>
      </main>
    );
  }
  return (
    <main className="start" aria-label="Start">
      <header className="start-header">
        <img src="/favicon.svg" alt="" width="48" height="48" />
        <div>
          <h1>Narratoria</h1>
          <p>Type what you do, and a story answers.</p>
        </div>
        <button type="button" className="text-button" aria-label="Settings" onClick={() => showDialog("settings")}>
          <Icon name="settings" />
        </button>
      </header>
      <section aria-label="Go on">
        <h2>Go on</h2>
        {offer.sessions.length === 0 && <p className="quiet">There is nothing to go on with yet.</p>}
        <ul className="tiles">
          {offer.sessions.map((session) => (
            <SessionTile key={session.sessionId} session={session} changed={again} />
          ))}
        </ul>
        <ImportButton stories={offer.stories} />
      </section>
      <section aria-label="Begin">
        <h2>Begin</h2>
        <ul className="tiles">
          {offer.stories.map((story) => (
            <StoryTile key={story.dir} story={story} begin={() => void begin(story.dir)} />
          ))}
        </ul>
      </section>
    </main>
  );
}

/** What there is to choose from; null while a newcomer's story begins; words when nothing can be reached. */
async function welcome(begin: () => Promise<void>): Promise<Offer | null | string> {
  const sessions = await api.sessions();
  if (sessions.kind === "failed") return sessions.message;
  if (sessions.value.length === 0 && localStorage.getItem(WELCOMED) === null) {
    localStorage.setItem(WELCOMED, "yes");
    await begin();
    return null;
  }
  const stories = await api.stories();
  const newestFirst = sessions.value.toSorted((one, other) => other.updatedAt - one.updatedAt);
  return { sessions: newestFirst, stories: stories.kind === "ok" ? stories.value : [] };
}

/** What can be read while the server is away. */
function KeptStories() {
  const [kept, setKept] = useState<{ sessionId: string; title: string }[]>([]);
  useEffect(() => void listKept().then(setKept), []);
  if (kept.length === 0) return null;
  return (
    <section aria-label="To read meanwhile">
      <h2>To read meanwhile</h2>
      <ul className="tiles">
        {kept.map(({ sessionId, title }) => (
          <li key={sessionId}>
            <RouteLink className="tile" to={routeTo(sessionId)}>
              <span className="tile-title">
                <Name text={title} />
              </span>
            </RouteLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

function StoryTile({ story, begin }: { story: StorySummary; begin: () => void }) {
  return (
    <li>
      <button type="button" className="tile" onClick={begin}>
        <span className="tile-title">
          <Name text={story.title} />
        </span>
        {story.description !== null && <span className="tile-excerpt">{story.description}</span>}
        <span className="tile-facts">
          <Icon name="add" /> Begin{story.author !== null && ` · by ${story.author}`}
        </span>
      </button>
    </li>
  );
}

function routeTo(sessionId: string): PageRoute {
  return { kind: "session", sessionId, place: "narrative" };
}
