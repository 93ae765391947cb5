/** Two branches side by side: what each told since they parted, and how the state differs at their ends. */
import { useEffect, useState } from "react";
import type { TurnView } from "../../../src/story/session-view.ts";
import { api } from "../api.ts";
import { Icon } from "../icon.tsx";
import { Prose } from "../narrative/prose.tsx";
import { Notice } from "../notice.tsx";
import { ChangeList } from "../state/change-list.tsx";
import { useDifference, wordsForCount } from "../state/compare-turns.tsx";
import "../state/state.css";
import { type PlacedTurn, pathTo } from "./layout.ts";
import { textOf } from "./turn-panel.tsx";

/** Of a long branch the end tells most. */
const MOST_TURNS = 20;

interface CompareBranchesProps {
  sessionId: string;
  one: PlacedTurn;
  other: PlacedTurn;
  close: () => void;
}

export function CompareBranches({ sessionId, one, other, close }: CompareBranchesProps) {
  const { parting, branches } = partBranches(one, other);
  const changes = useDifference(sessionId, one.node.turnId, other.node.turnId);
  return (
    <div className="place compare-page" tabIndex={0} role="group" aria-label="Two branches compared">
      <div className="compare-head">
        <button type="button" className="text-button" onClick={close}>
          <Icon name="chevron_left" /> Back to the tree
        </button>
        <p className="quiet">
          {parting === null ? "They share no turn." : `They are the same up to ${nameOf(parting)}.`}
        </p>
      </div>
      <div className="branches">
        {branches.map((branch, index) => (
          <Branch key={index} sessionId={sessionId} label={index === 0 ? "One" : "The other"} turns={branch} />
        ))}
      </div>
      <section aria-label="State" className="compare-state">
        <h2>State</h2>
        {typeof changes === "string" && <Notice message={changes} details={null} />}
        <p className="quiet" role="status">
          {changes === null ? "Comparing…" : Array.isArray(changes) && wordsForCount(changes.length)}
        </p>
        {Array.isArray(changes) && changes.length > 0 && (
          <ChangeList label="Differences of the state, from one to the other" changes={changes} />
        )}
      </section>
    </div>
  );
}

function Branch({ sessionId, label, turns }: { sessionId: string; label: string; turns: PlacedTurn[] }) {
  const told = useTurns(sessionId, turns);
  const hidden = turns.length - Math.min(turns.length, MOST_TURNS);
  return (
    <section className="branch card" aria-label={label}>
      <h2>
        {label}: {turns.length === 0 ? "it stays where they part" : `up to ${nameOf(turns.at(-1))}`}
      </h2>
      {hidden > 0 && <p className="quiet">{hidden} earlier turns of this branch are left out.</p>}
      {typeof told === "string" && <p className="quiet">{told}</p>}
      {Array.isArray(told) &&
        told.map((turn) => (
          <article key={turn.turnId}>
            {turn.prompt !== null && (
              <p className="prompt">
                <bdi>{turn.prompt}</bdi>
              </p>
            )}
            <Prose text={textOf(turn)} assets={[]} />
          </article>
        ))}
    </section>
  );
}

function useTurns(sessionId: string, turns: PlacedTurn[]): TurnView[] | string {
  const [told, setTold] = useState<TurnView[] | string>("Looking it up…");
  const ids = turns
    .slice(-MOST_TURNS)
    .map(({ node }) => node.turnId)
    .join(" ");
  useEffect(() => {
    let isCurrent = true;
    const wanted = ids.split(" ").filter((id) => id !== "");
    void Promise.all(wanted.map((turnId) => api.turn(sessionId, turnId))).then((answers) => {
      if (!isCurrent) return;
      const failed = answers.find((answer) => answer.kind === "failed");
      if (failed?.kind === "failed") return setTold(failed.message);
      setTold(answers.flatMap((answer) => (answer.kind === "ok" ? [answer.value.turn] : [])));
    });
    return () => {
      isCurrent = false;
    };
  }, [sessionId, ids]);
  return told;
}

/** The last turn they share, and each branch after it. */
function partBranches(one: PlacedTurn, other: PlacedTurn): { parting: PlacedTurn | null; branches: PlacedTurn[][] } {
  const [path, otherPath] = [pathTo(one), pathTo(other)];
  let shared = 0;
  while (shared < path.length && path[shared] === otherPath[shared]) shared++;
  return { parting: path[shared - 1] ?? null, branches: [path.slice(shared), otherPath.slice(shared)] };
}

function nameOf(turn: PlacedTurn | undefined): string {
  return turn === undefined || turn.node.number === 0 ? "the opening scene" : `turn ${turn.node.number}`;
}
