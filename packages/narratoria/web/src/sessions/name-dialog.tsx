/** Asks for a name: a session's title, a turn's bookmark. */
import { useState } from "react";
import { Dialog } from "../dialog.tsx";
import { Notice } from "../notice.tsx";
import type { ApiAnswer } from "../api.ts";
import "./sessions.css";

interface NameDialogProps {
  title: string;
  label: string;
  /** What stands in the field at first. */
  name: string;
  /** Present when the name can be taken away. */
  remove?: () => Promise<ApiAnswer<unknown>>;
  save: (name: string) => Promise<ApiAnswer<unknown>>;
  close: () => void;
}

export function NameDialog({ title, label, name, remove, save, close }: NameDialogProps) {
  const [draft, setDraft] = useState(name);
  const [problem, setProblem] = useState<string | null>(null);
  const finish = async (done: Promise<ApiAnswer<unknown>>): Promise<void> => {
    const answer = await done;
    if (answer.kind === "ok") close();
    else setProblem(answer.message);
  };
  return (
    <Dialog title={title} close={close}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (draft.trim() !== "") void finish(save(draft.trim()));
        }}
      >
        <label className="field">
          <span>{label}</span>
          <input
            value={draft}
            maxLength={200}
            dir="auto"
            autoFocus
            onFocus={(event) => event.target.select()}
            onChange={(event) => setDraft(event.target.value)}
          />
        </label>
        {problem !== null && <Notice isNews message={problem} details={null} />}
        <div className="dialog-actions">
          {remove !== undefined && (
            <button type="button" className="text-button" onClick={() => void finish(remove())}>
              Remove
            </button>
          )}
          <button type="submit" className="filled-button" disabled={draft.trim() === ""}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
