/** Beside the story on wide screens: this turn's tools, what it changed, and why. */
import "../tools/tools.css";
import { useState } from "react";
import type { Change, TurnView } from "../../../src/story/session-view.ts";
import { RouteLink } from "../route-link.tsx";
import { useRoute } from "../route.ts";
import { routeToTool } from "../tools/chosen-tool.ts";
import { Timeline } from "../tools/timeline.tsx";
import { ToolLine } from "../tools/tool-line.tsx";
import { wordsForChange, wordsForDuration } from "../words.ts";
import { WhyNote } from "./why-note.tsx";

export function SupportingPane({ turn }: { turn: TurnView }) {
  const changes = latestChanges(turn);
  const route = useRoute();
  const sessionId = route.kind === "session" ? route.sessionId : "";
  return (
    <aside className="pane" aria-label="What just happened">
      <section className="card">
        <h2>
          This turn <span>{timeOf(turn)}</span>
        </h2>
        {turn.tools.length === 0 && <p className="quiet">No tool was needed.</p>}
        {turn.tools.map((tool) => (
          <RouteLink
            key={`${tool.planId} ${tool.toolId}`}
            className="tool-link"
            to={routeToTool(sessionId, turn, tool)}
            title="What it did, and why"
          >
            <ToolLine tool={tool} />
          </RouteLink>
        ))}
        <Timeline tools={turn.tools} />
      </section>
      <section className="card">
        <h2>What changed</h2>
        {changes.length === 0 ? (
          <p className="quiet">Nothing that the story keeps track of.</p>
        ) : (
          <Changes key={turn.turnId} changes={changes} />
        )}
      </section>
      <section className="card">
        <h2>Take another path</h2>
        <p>Every turn can be retried or forked. Nothing you leave behind is lost.</p>
        <RouteLink className="pane-link" to={{ kind: "session", sessionId, place: "tree" }}>
          The tree of turns
        </RouteLink>
      </section>
    </aside>
  );
}

function timeOf({ startedAt, endedAt, tools }: TurnView): string {
  return endedAt === null || tools.length === 0 ? "" : wordsForDuration((endedAt - startedAt) * 1000);
}

function Changes({ changes }: { changes: Change[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const path = chosen ?? changes[0]?.path ?? null;
  return (
    <>
      <ul className="changed">
        {changes.map((change) => {
          const { subject, outcome } = wordsForChange(change);
          return (
            <li key={change.path}>
              <button type="button" aria-pressed={change.path === path} onClick={() => setChosen(change.path)}>
                <span>{subject}</span>
                <b>{outcome}</b>
              </button>
            </li>
          );
        })}
      </ul>
      {path !== null && <WhyNote path={path} asked={changes.length} />}
    </>
  );
}

/** One line for each place in the state: from what it was before the turn to what it is now. */
function latestChanges(turn: TurnView): Change[] {
  const byPath = new Map<string, Change>();
  for (const passage of turn.passages) {
    if (passage.kind !== "changes") continue;
    for (const change of passage.changes) {
      const first = byPath.get(change.path) ?? change;
      const { before: _, ...rest } = change;
      byPath.set(change.path, first.before === undefined ? rest : { ...rest, before: first.before });
    }
  }
  return [...byPath.values()];
}
