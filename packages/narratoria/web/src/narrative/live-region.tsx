/** Speaks each new paragraph once to those who listen instead of looking; what was there at the start stays silent. */
import { useEffect, useRef, useState } from "react";
import type { SessionView } from "../../../src/story/session-view.ts";

const KEPT = 20;

export function LiveRegion({ view }: { view: SessionView }) {
  const spoken = useRef<Set<string> | null>(null);
  const [lines, setLines] = useState<{ key: string; text: string }[]>([]);
  useEffect(() => {
    const texts = textsOf(view);
    const known = spoken.current;
    spoken.current = new Set([...(known ?? []), ...texts.map(({ key }) => key)]);
    if (known === null) return;
    const fresh = texts.filter(({ key }) => !known.has(key));
    if (fresh.length > 0) setLines((before) => [...before, ...fresh].slice(-KEPT));
  }, [view]);
  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-label="Narration">
      {lines.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
}

/** Only of the newest turn: going back to an older one is no news. */
function textsOf(view: SessionView): { key: string; text: string }[] {
  const head = view.turns.at(-1);
  if (head === undefined) return [];
  const passages = head.passages.flatMap((passage, index) =>
    passage.kind === "text" ? [{ key: `${head.turnId} ${index}`, text: withoutMarks(passage.text) }] : [],
  );
  const asks = view.asks.map((ask) => ({ key: ask.askId, text: ask.question }));
  return [...passages, ...asks];
}

function withoutMarks(markdown: string): string {
  return markdown.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[*_`#>]+/g, "");
}
