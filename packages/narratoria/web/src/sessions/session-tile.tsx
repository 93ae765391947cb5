/** A session on the start page: the way in, and what can be done with it as a whole. */
import { useState } from "react";
import type { SessionSummary } from "../../../src/runtime/seams/session-service.ts";
import { api, exportPath } from "../api.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { RouteLink } from "../route-link.tsx";
import { SignedLink } from "../signed-link.tsx";
import { wordsForTime } from "../words.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { NameDialog } from "./name-dialog.tsx";
import "./sessions.css";

/** `changed` is called when the list is no longer right. */
export function SessionTile({ session, changed }: { session: SessionSummary; changed: () => void }) {
  const [asked, setAsked] = useState<"rename" | "delete" | null>(null);
  const { sessionId } = session;
  const title = session.title || session.storyTitle;
  const done = (): void => {
    setAsked(null);
    changed();
  };
  return (
    <li className="tile-place">
      <RouteLink className="tile" to={{ kind: "session", sessionId, place: "narrative" }}>
        <span className="tile-title">
          <Name text={title} />
        </span>
        {session.excerpt !== "" && <span className="tile-excerpt">{session.excerpt}</span>}
        <span className="tile-facts">
          {session.ended ? "Ended" : wordsForPlace(session.turnCount)} · {wordsForTime(session.updatedAt)}
        </span>
      </RouteLink>
      <div className="tile-actions" role="group" aria-label={`More for ${title}`}>
        <button type="button" className="text-button" onClick={() => setAsked("rename")}>
          <Icon name="edit" /> Rename
        </button>
        <SignedLink className="text-button" path={exportPath(sessionId)} name="">
          <Icon name="download" /> Export
        </SignedLink>
        <button type="button" className="text-button" onClick={() => setAsked("delete")}>
          <Icon name="delete" /> Delete
        </button>
      </div>
      {asked === "rename" && (
        <NameDialog
          title="Rename this session"
          label="Title"
          name={title}
          save={async (name) => {
            const answer = await api.rename(sessionId, name);
            if (answer.kind === "ok") changed();
            return answer;
          }}
          close={() => setAsked(null)}
        />
      )}
      {asked === "delete" && (
        <DeleteDialog sessionId={sessionId} title={title} deleted={done} close={() => setAsked(null)} />
      )}
    </li>
  );
}

function wordsForPlace(turnCount: number): string {
  return turnCount > 1 ? `Turn ${turnCount - 1}` : "Opening scene";
}
