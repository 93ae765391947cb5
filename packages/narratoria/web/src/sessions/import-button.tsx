/** Opens a file that was exported here or elsewhere, and goes to the session it becomes. */
import { useRef, useState } from "react";
import { api } from "../api.ts";
import { Icon } from "../icon.tsx";
import { Notice } from "../notice.tsx";
import { navigate } from "../route.ts";
import "./sessions.css";

interface Problem {
  message: string;
  details: string | null;
}

export function ImportButton() {
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const open = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setBusy(true);
    setProblem(null);
    const answer = await api.importSession(file);
    setBusy(false);
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
        onChange={(event) => void open(event.target.files?.[0])}
      />
      <button type="button" className="text-button" disabled={isBusy} onClick={() => input.current?.click()}>
        <Icon name="upload" /> {isBusy ? "Opening…" : "Import a session"}
      </button>
      {problem !== null && (
        <Notice isNews message={problem.message} details={problem.details} dismiss={() => setProblem(null)} />
      )}
    </div>
  );
}
