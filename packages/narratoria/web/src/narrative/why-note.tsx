/** Where a value came from, in a sentence; asked of the server when it is opened. */
import { useEffect, useState } from "react";
import type { Provenance } from "../../../src/runtime/seams/session-service.ts";
import { api, type ApiAnswer } from "../api.ts";
import { useRoute } from "../route.ts";
import { shorten, wordsForValue } from "../words.ts";

export function WhyNote({ path, asked = "" }: { path: string; asked?: string | number }) {
  const route = useRoute();
  const sessionId = route.kind === "session" ? route.sessionId : "";
  const [answer, setAnswer] = useState<ApiAnswer<Provenance> | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void api.why(sessionId, path).then((given) => isCurrent && setAnswer(given));
    return () => {
      isCurrent = false;
    };
  }, [sessionId, path, asked]);
  return (
    <div className="why" role="status">
      {answer === null && <p>Looking it up…</p>}
      {answer?.kind === "failed" && <p>{answer.message}</p>}
      {answer?.kind === "ok" && <Explanation provenance={answer.value} />}
    </div>
  );
}

function Explanation({ provenance }: { provenance: Provenance }) {
  const { path, setBy, before, value } = provenance;
  const [earlier] = before;
  return (
    <>
      <p>
        <code>{path}</code> is now <b>{wordsForValue(value)}</b>. {sentence(setBy)}
      </p>
      {earlier !== undefined && (
        <p>
          Before that it was <b>{wordsForValue(earlier.value)}</b>
          {earlier.skill !== null && `, set by ${earlier.skill}`}.
        </p>
      )}
    </>
  );
}

function sentence(setBy: Provenance["setBy"]): string {
  if (setBy === null) return "Nobody has set it yet.";
  if (setBy.skill === null) return "The story began with it.";
  const attempt = setBy.attempt !== null && setBy.attempt > 1 ? `, at attempt ${setBy.attempt}` : "";
  const because = setBy.prompt ? `, because you said “${shorten(setBy.prompt, 120)}”` : "";
  return `Set by ${setBy.skill}${attempt}${because}.`;
}
