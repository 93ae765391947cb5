/** The turn the picture is at: what was told, and what can be done from there. */
import { useEffect, useState } from "react";
import type { SessionSummary } from "../../../src/runtime/seams/session-service.ts";
import type { SessionView, TurnView } from "../../../src/story/session-view.ts";
import { api } from "../api.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { Prose } from "../narrative/prose.tsx";
import { navigate } from "../route.ts";
import { RouteLink } from "../route-link.tsx";
import type { SessionActions } from "../session-actions.ts";
import { shorten, wordsForTime } from "../words.ts";
import type { PlacedTurn } from "./layout.ts";

interface TurnPanelProps {
  view: SessionView;
  turn: PlacedTurn;
  actions: SessionActions;
  forks: SessionSummary[];
  compare: () => void;
}

export function TurnPanel({ view, turn, actions, forks, compare }: TurnPanelProps) {
  const { node } = turn;
  const text = useTurnText(view, node.turnId);
  const isHead = node.turnId === view.headTurnId;
  const bookmark = view.bookmarks[node.turnId] ?? null;
  return (
    <section className="turn-panel card" aria-label="This turn">
      <h2>
        {node.number === 0 ? "Opening scene" : `Turn ${node.number}`} <small>{wordsForTime(node.startedAt)}</small>
      </h2>
      {node.ending !== null && (
        <p className="quiet">
          An ending: <Name text={node.ending} />
        </p>
      )}
      {node.prompt !== null && (
        <p className="prompt">
          <bdi>{shorten(node.prompt, 200)}</bdi>
        </p>
      )}
      <div className="turn-panel-actions">
        {isHead ? (
          <m3e-button
            variant="filled"
            onClick={() => navigate({ kind: "session", sessionId: view.sessionId, place: "narrative" })}
          >
            Read on from here
          </m3e-button>
        ) : (
          <m3e-button variant="filled" onClick={() => actions.goTo(node.turnId)}>
            Go there
          </m3e-button>
        )}
        <button type="button" className="text-button" onClick={() => actions.fork(node.turnId)}>
          <Icon name="fork_right" /> Fork
        </button>
        <button type="button" className="text-button" onClick={compare}>
          <Icon name="compare_arrows" /> Compare with…
        </button>
      </div>
      <div className="turn-text" tabIndex={0} role="group" aria-label="What was told">
        {text === null ? <p className="quiet">Looking it up…</p> : <Prose text={text} assets={[]} />}
      </div>
      <Bookmark key={bookmark} name={bookmark} save={(name) => actions.bookmark(node.turnId, name)} />
      {forks.length > 0 && (
        <>
          <h3>Forks from here</h3>
          <ul className="fork-list">
            {forks.map(({ sessionId, title }) => (
              <li key={sessionId}>
                <RouteLink to={{ kind: "session", sessionId, place: "narrative" }}>
                  <Name text={title} />
                </RouteLink>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Bookmark({ name, save }: { name: string | null; save: (name: string | null) => void }) {
  const [draft, setDraft] = useState(name ?? "");
  const given = draft.trim();
  return (
    <form
      className="bookmark-form"
      onSubmit={(event) => {
        event.preventDefault();
        save(given === "" ? null : given);
      }}
    >
      <label className="field">
        <span>Bookmark</span>
        <input
          value={draft}
          maxLength={200}
          placeholder="Name this turn"
          onChange={(event) => setDraft(event.target.value)}
        />
      </label>
      <button type="submit" className="text-button" disabled={given === (name ?? "")}>
        <Icon name={name === null ? "bookmark" : "bookmark-fill"} />
        {given === "" && name !== null ? "Remove" : "Save"}
      </button>
    </form>
  );
}

/** From the view when it is loaded there, else from the server. */
function useTurnText(view: SessionView, turnId: string): string | null {
  const known = view.turns.find((each) => each.turnId === turnId);
  const [fetched, setFetched] = useState<string | null>(null);
  const isKnown = known !== undefined;
  useEffect(() => {
    if (isKnown) return;
    let isCurrent = true;
    void api.turn(view.sessionId, turnId).then((answer) => {
      if (isCurrent) setFetched(answer.kind === "ok" ? textOf(answer.value.turn) : answer.message);
    });
    return () => {
      isCurrent = false;
    };
  }, [view.sessionId, turnId, isKnown]);
  return known === undefined ? fetched : textOf(known);
}

export function textOf(turn: TurnView): string {
  const texts = turn.passages.flatMap((passage) => (passage.kind === "text" ? [passage.text] : []));
  return texts.join("\n\n") || "Nothing was told.";
}
