/** Every turn there is, as a picture: takes, forks, bookmarks and endings. Pressing a turn goes there. */
import "./tree.css";
import { useEffect, useMemo, useState } from "react";
import type { SessionSummary, TreeNode } from "../../../src/runtime/seams/session-service.ts";
import type { SessionView } from "../../../src/story/session-view.ts";
import { api } from "../api.ts";
import { EmptyState } from "../frame/empty-state.tsx";
import { Notice } from "../notice.tsx";
import { Segments } from "../segments.tsx";
import type { ActionProblem, SessionActions } from "../session-actions.ts";
import { CompareBranches } from "./compare-branches.tsx";
import { layOut, type PlacedTurn } from "./layout.ts";
import { Picture, type Size } from "./picture.tsx";
import { TurnPanel } from "./turn-panel.tsx";

const SIZES = [
  { value: "cards", label: "Cards" },
  { value: "dots", label: "Overview" },
] as const;

interface TreePageProps {
  view: SessionView;
  actions: SessionActions;
  problem: ActionProblem | null;
  dismiss: () => void;
}

export function TreePage({ view, actions, problem, dismiss }: TreePageProps) {
  const { nodes, failure, forks } = useTree(view);
  const layout = useMemo(() => layOut(nodes), [nodes]);
  const forkCounts = useMemo(() => countForks(forks), [forks]);
  const [size, setSize] = useState<Size>("cards");
  const [activeId, setActiveId] = useState<string | null>(null);
  /** The first side of a comparison while the second is being chosen, then both. */
  const [compared, setCompared] = useState<{ one: PlacedTurn; other: PlacedTurn | null } | null>(null);
  const active = layout.byId.get(activeId ?? view.headTurnId ?? "") ?? layout.turns[0];

  if (failure !== null) return <Notice message={failure} details={null} />;
  if (active === undefined) {
    return (
      <EmptyState
        icon="graph_2"
        title="No turns yet"
        text="Every path you take, and every one you leave, shows here."
      />
    );
  }
  if (compared?.other) {
    return (
      <CompareBranches
        sessionId={view.sessionId}
        one={compared.one}
        other={compared.other}
        close={() => setCompared(null)}
      />
    );
  }
  const press = (turn: PlacedTurn): void => {
    setActiveId(turn.node.turnId);
    if (compared !== null) {
      if (turn !== compared.one) setCompared({ one: compared.one, other: turn });
    } else if (turn.node.turnId !== view.headTurnId) actions.goTo(turn.node.turnId);
  };
  return (
    <div className="place tree-page">
      <div className="tree-bar">
        <Segments label="How large" options={SIZES} chosen={size} choose={setSize} />
        <p className="quiet" role="status">
          {compared === null ? wordsForTree(nodes) : "Choose the turn to compare with."}
        </p>
        {compared !== null && (
          <button type="button" className="text-button" onClick={() => setCompared(null)}>
            Do not compare
          </button>
        )}
      </div>
      {problem !== null && (
        <Notice message={problem.message} details={problem.details} retry={problem.retry} dismiss={dismiss} />
      )}
      <div className="tree-body">
        <Picture
          layout={layout}
          size={size}
          headTurnId={view.headTurnId}
          active={active}
          move={(turn) => setActiveId(turn.node.turnId)}
          press={press}
          marked={compared?.one.node.turnId ?? null}
          forks={forkCounts}
        />
        <TurnPanel
          key={active.node.turnId}
          view={view}
          turn={active}
          actions={actions}
          forks={forks.filter(({ forkTurnId }) => forkTurnId === active.node.turnId)}
          compare={() => setCompared({ one: active, other: null })}
        />
      </div>
    </div>
  );
}

interface KnownTree {
  nodes: TreeNode[];
  failure: string | null;
  /** Sessions that went on from a turn of this tree. */
  forks: SessionSummary[];
}

/** Asked anew when the head moves, a turn ends or a bookmark is set. */
function useTree({ sessionId, headTurnId, turns, bookmarks }: SessionView): KnownTree {
  const [known, setKnown] = useState<KnownTree>({ nodes: [], failure: null, forks: [] });
  const status = turns.at(-1)?.status;
  useEffect(() => {
    let isCurrent = true;
    void Promise.all([api.tree(sessionId), api.sessions()]).then(([tree, sessions]) => {
      if (!isCurrent) return;
      if (tree.kind === "failed")
        return setKnown((before) => ({ ...before, failure: before.nodes.length > 0 ? null : tree.message }));
      const ids = new Set(tree.value.map(({ turnId }) => turnId));
      const all = sessions.kind === "ok" ? sessions.value : [];
      const forks = all.filter((session) => session.sessionId !== sessionId && ids.has(session.forkTurnId ?? ""));
      setKnown({ nodes: tree.value, failure: null, forks });
    });
    return () => {
      isCurrent = false;
    };
  }, [sessionId, headTurnId, status, bookmarks]);
  return known;
}

function countForks(forks: SessionSummary[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { forkTurnId } of forks)
    if (forkTurnId !== null) counts.set(forkTurnId, (counts.get(forkTurnId) ?? 0) + 1);
  return counts;
}

function wordsForTree(nodes: TreeNode[]): string {
  const endings = new Set(nodes.flatMap(({ ending }) => ending ?? [])).size;
  const turns = nodes.length === 1 ? "One turn" : `${nodes.length.toLocaleString("en")} turns`;
  if (endings === 0) return `${turns}, no ending reached yet.`;
  return `${turns}, ${endings === 1 ? "one ending" : `${endings} endings`} reached.`;
}
