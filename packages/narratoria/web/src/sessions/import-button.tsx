/** Opens a file that was exported here or elsewhere, asks which story it is played with, and goes to its session. */
import { useRef, useState } from "react";
import { api } from "../api.ts";
import { Icon } from "../icon.tsx";
import { Notice } from "../notice.tsx";
import { navigate } from "../route.ts";
import type { StorySummary } from "../../../src/runtime/seams/session-service.ts";
import "./sessions.css";

interface Problem {
  message: string;
  details: string | null;
}

export function ImportButton({ stories }: { stories: readonly StorySummary[] }) {
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<File | null>(null);
  const [story, setStory] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const open = async (file: File): Promise<void> => {
    setBusy(true);
    setProblem(null);
    const answer = await api.importSession(file, story === "" ? null : story);
    setBusy(false);
    setChosen(null);
    // The same file again, mended meanwhile, is another choice.
    if (input.current !== null) input.current.value = "";
    if (answer.kind === "ok") {
      navigate({ kind: "session", sessionId: answer.value.sessionId, place: "narrative" });
    } else {
      const message = answer.code === "offline" ? answer.message : `This file was not opened: ${answer.message}`;
      setProblem({ message, details: answer.details });
    }
  };
  return (
    <div className="import">
      <input
        ref={input}
        type="file"
        accept=".narratoria,application/octet-stream"
        aria-label="An exported session"
        tabIndex={-1}
        hidden
        onChange={(event) => setChosen(event.target.files?.[0] ?? null)}
      />
      {chosen !== null && (
        <div className="dialog-form">
          <label>
            Play it on with{" "}
            <select value={story} onChange={(event) => setStory(event.target.value)}>
              <option value="">no story: only read it</option>
              {stories.map(({ dir, title }) => (
                <option key={dir} value={dir}>
                  {`${title} (${dir})`}
                </option>
              ))}
            </select>
          </label>
          <button type="button" className="filled-button" disabled={isBusy} onClick={() => void open(chosen)}>
            Open {chosen.name}
          </button>
        </div>
      )}
      <button type="button" className="text-button" disabled={isBusy} onClick={() => input.current?.click()}>
        <Icon name="upload" /> {isBusy ? "Opening…" : "Import a session"}
      </button>
      {problem !== null && (
        <Notice isNews message={problem.message} details={problem.details} dismiss={() => setProblem(null)} />
      )}
    </div>
  );
}
