/** Speaks each new paragraph once to those who listen instead of looking; what was there at the start stays silent. */
import { useEffect, useRef, useState } from "react";
import type { SessionView, TurnView } from "../../../src/story/session-view.ts";

const KEPT = 20;

export function LiveRegion({ view }: { view: SessionView }) {
  const spoken = useRef<Set<string> | null>(null);
  const [lines, setLines] = useState<{ key: string; text: string }[]>([]);
  useEffect(() => {
    const known = spoken.current;
    const asks = view.asks.map((ask) => ({ key: ask.askId, text: ask.question }));
    const texts = [...view.turns.flatMap(textsOf), ...asks];
    spoken.current = new Set([...(known ?? []), ...texts.map(({ key }) => key)]);
    if (known === null) return;
    const fresh = texts.filter(({ key }) => !known.has(key));
    const once = fresh.filter(({ key }, index) => fresh.findIndex((other) => other.key === key) === index);
    if (once.length > 0) setLines((before) => [...before, ...once].slice(-KEPT));
  }, [view]);
  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-label="Narration">
      {lines.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
}

function textsOf({ turnId, passages, notice }: TurnView): { key: string; text: string }[] {
  const texts = passages.flatMap((passage, index) => {
    if (passage.kind === "text") return [{ key: `${turnId} ${index}`, text: withoutMarks(passage.text) }];
    // The same complaint again is no news.
    if (passage.kind === "problem") return [{ key: `${turnId} ${passage.message}`, text: passage.message }];
    return [];
  });
  return notice === null ? texts : [...texts, { key: `${turnId} notice`, text: notice }];
}

function withoutMarks(markdown: string): string {
  return markdown.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[*_`#>]+/g, "");
}
