/** What a tool changed, as chips; each opens to where its value came from. */
import { useState } from "react";
import type { Change } from "../../../src/story/session-view.ts";
import { wordsForChange } from "../words.ts";
import { WhyNote } from "./why-note.tsx";

const SHOWN_AT_FIRST = 8;

export function Consequences({ changes }: { changes: Change[] }) {
  const [openPath, setOpenPath] = useState<string | null>(null);
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? changes : changes.slice(0, SHOWN_AT_FIRST);
  const hidden = changes.length - shown.length;
  return (
    <div className="consequences">
      <ul className="chips" aria-label="What changed">
        {shown.map((change) => (
          <li key={change.path}>
            <Chip
              change={change}
              isOpen={openPath === change.path}
              toggle={() => setOpenPath(openPath === change.path ? null : change.path)}
            />
          </li>
        ))}
        {hidden > 0 && (
          <li>
            <button type="button" className="chip" onClick={() => setShowsAll(true)}>
              {hidden} more
            </button>
          </li>
        )}
      </ul>
      {openPath !== null && <WhyNote path={openPath} />}
    </div>
  );
}

function Chip({ change, isOpen, toggle }: { change: Change; isOpen: boolean; toggle: () => void }) {
  const { subject, outcome } = wordsForChange(change);
  const isNew = change.before === undefined || typeof change.after === "boolean";
  return (
    <button type="button" className={isNew ? "chip new" : "chip"} aria-expanded={isOpen} onClick={toggle}>
      <span>
        {subject}
        {outcome.includes("→") ? " " : ": "}
        <b>{outcome}</b>
      </span>
    </button>
  );
}
