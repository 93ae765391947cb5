/** The state of the story: as a tree with the last changes marked, between any two turns, and as plain JSON. */
import "./state.css";
import { useMemo, useState } from "react";
import type { SessionView } from "../../../src/story/session-view.ts";
import { EmptyState } from "../frame/empty-state.tsx";
import { Segments } from "../segments.tsx";
import { CompareTurns } from "./compare-turns.tsx";
import { RawJson } from "./raw-json.tsx";
import { StateTree } from "./state-tree.tsx";
import { WhyPanel } from "./why-panel.tsx";

const LOOKS = [
  { value: "tree", label: "Tree" },
  { value: "compare", label: "Compare" },
  { value: "json", label: "JSON" },
] as const;
type Look = (typeof LOOKS)[number]["value"];

export function StatePage({ view }: { view: SessionView }) {
  const [look, setLook] = useState<Look>("tree");
  const [path, setPath] = useState<string | null>(null);
  const head = view.turns.at(-1);
  const changed = useMemo(
    () =>
      new Set(
        head?.passages
          .flatMap((passage) => (passage.kind === "changes" ? passage.changes : []))
          .map((change) => change.path),
      ),
    [head],
  );
  if (Object.keys(view.state).length === 0 && view.turnCount <= 1) {
    const text = "The story keeps track of nothing so far. What tools change will show here.";
    return <EmptyState icon="account_tree" title="Nothing yet" text={text} />;
  }
  const hasWhy = path !== null && look !== "json";
  return (
    <div className="place state-page">
      <div className="state-bar">
        <Segments label="How to look at it" options={LOOKS} chosen={look} choose={setLook} />
        {look === "tree" && <p className="quiet">{wordsForChanges(changed.size)}</p>}
      </div>
      <div className={hasWhy ? "state-body with-why" : "state-body"}>
        {look === "tree" && <StateTree state={view.state} changed={changed} chosen={path} choose={setPath} />}
        {look === "compare" && <CompareTurns view={view} choose={setPath} />}
        {look === "json" && <RawJson state={view.state} />}
        {hasWhy && <WhyPanel view={view} path={path} close={() => setPath(null)} />}
      </div>
    </div>
  );
}

function wordsForChanges(count: number): string {
  if (count === 0) return "The last turn changed nothing.";
  return count === 1 ? "The last turn changed one value." : `The last turn changed ${count} values.`;
}
