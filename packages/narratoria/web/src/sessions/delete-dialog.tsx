/** Deleting is the one thing that cannot be undone: it asks for the session's title first. */
import { useState } from "react";
import type { Removed } from "../../../src/runtime/seams/session-service.ts";
import { api } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { dropUnseen, Name } from "../name.tsx";
import { forgetSnapshot } from "../offline/kept-snapshots.ts";
import { Notice } from "../notice.tsx";
import "./sessions.css";

interface DeleteDialogProps {
  sessionId: string;
  title: string;
  deleted: () => void;
  close: () => void;
}

export function DeleteDialog({ sessionId, title, deleted, close }: DeleteDialogProps) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [kept, setKept] = useState<Kept | null>(null);
  const wanted = typeable(title);
  const isSame = typeable(typed) === wanted;
  const remove = async (): Promise<void> => {
    const answer = await api.remove(sessionId);
    if (answer.kind === "failed") return setProblem(answer.message);
    await forgetSnapshot(sessionId);
    if (answer.value.kept === null) deleted();
    else setKept(answer.value.kept);
  };
  if (kept !== null) return <WhatStays sessionId={sessionId} kept={kept} done={deleted} />;
  return (
    <Dialog title="Delete this session?" close={close}>
      <p>
        All its turns, its state and what tools made for it will be gone for good. Export it first if you may want it
        again. To delete it, type <b>{<Name text={wanted} />}</b>.
      </p>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSame) void remove();
        }}
      >
        <label className="field">
          <span>Its title</span>
          <input
            value={typed}
            dir="auto"
            autoFocus
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        {problem !== null && <Notice isNews message={problem} details={null} />}
        <div className="dialog-actions">
          <button type="button" className="text-button" onClick={close}>
            Keep it
          </button>
          <button type="submit" className="filled-button danger" disabled={!isSame}>
            Delete for good
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type Kept = NonNullable<Removed["kept"]>;

/** The session is deleted; forks begin with some of its turns. */
function WhatStays({ sessionId, kept, done }: { sessionId: string; kept: Kept; done: () => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const purge = async (): Promise<void> => {
    const answer = await api.remove(sessionId, true);
    if (answer.kind === "failed") return setProblem(answer.message);
    await Promise.all(kept.neededBy.map((fork) => forgetSnapshot(fork.sessionId)));
    done();
  };
  return (
    <Dialog title="Deleted, but for its beginning" close={done}>
      <p>
        {kept.turns === 1 ? "One turn stays" : `${kept.turns} turns stay`}, hidden, because these began with what was
        told there. Delete that too, and they go on from where they are without it.
      </p>
      <ul>
        {kept.neededBy.map((fork) => (
          <li key={fork.sessionId}>
            <Name text={fork.title} />
          </li>
        ))}
      </ul>
      {problem !== null && <Notice isNews message={problem} details={null} />}
      <div className="dialog-actions">
        <button type="button" className="text-button" onClick={done}>
          Leave it to them
        </button>
        <button type="button" className="filled-button danger" onClick={() => void purge()}>
          Delete that too
        </button>
      </div>
    </Dialog>
  );
}

/** What a person can type of a title: nobody finds zero-width characters on a keyboard. */
function typeable(title: string): string {
  return dropUnseen(title.normalize("NFC").replaceAll(/\u200c|\u200d/g, "")) || "delete";
}
