/** Speaks what is new to those who listen instead of looking; `spoken-lines.ts` says what that is. */
import { useEffect, useRef, useState } from "react";
import type { SessionView } from "../../../src/story/session-view.ts";
import { linesToSpeak, type Spoken, type SpokenLine } from "./spoken-lines.ts";

const KEPT = 20;

export function LiveRegion({ view }: { view: SessionView }) {
  const spoken = useRef<Spoken | null>(null);
  const [lines, setLines] = useState<SpokenLine[]>([]);
  useEffect(() => {
    const fresh = linesToSpeak(view, spoken.current);
    spoken.current = fresh.spoken;
    if (fresh.lines.length > 0) setLines((before) => [...before, ...fresh.lines].slice(-KEPT));
  }, [view]);
  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-label="Narration">
      {lines.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
}
