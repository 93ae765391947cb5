/** The difference of the state between any two turns of the session's tree. */
import { useEffect, useId, useState } from "react";
import type { TreeNode } from "../../../src/runtime/seams/session-service.ts";
import type { Change, SessionView } from "../../../src/story/session-view.ts";
import { api } from "../api.ts";
import { dropUnseen } from "../name.tsx";
import { Notice } from "../notice.tsx";
import { shorten } from "../words.ts";
import { ChangeList } from "./change-list.tsx";
import { diffStates } from "./diff-states.ts";

export function CompareTurns({ view, choose }: { view: SessionView; choose: (path: string) => void }) {
  const head = view.turns.at(-1);
  const [tree, setTree] = useState<TreeNode[]>([]);
  const [from, setFrom] = useState(head?.parentTurnId ?? head?.turnId ?? "");
  const [to, setTo] = useState(head?.turnId ?? "");
  const changes = useDifference(view.sessionId, from, to);
  useEffect(() => {
    void api.tree(view.sessionId).then((answer) => answer.kind === "ok" && setTree(answer.value));
  }, [view.sessionId, view.headTurnId]);
  return (
    <div className="compare">
      <div className="compare-turns">
        <TurnSelect label="From" tree={tree} chosen={from} choose={setFrom} />
        <TurnSelect label="To" tree={tree} chosen={to} choose={setTo} />
      </div>
      {typeof changes === "string" && <Notice message={changes} details={null} />}
      {changes === null && <p className="quiet">Comparing…</p>}
      {Array.isArray(changes) && (
        <>
          <p className="quiet" role="status">
            {wordsForCount(changes.length)}
          </p>
          {changes.length > 0 && <ChangeList label="Differences" changes={changes} choose={choose} />}
        </>
      )}
    </div>
  );
}

/** Null while it is looked up; words when that failed. */
export function useDifference(sessionId: string, from: string, to: string): Change[] | null | string {
  const [changes, setChanges] = useState<Change[] | null | string>(null);
  useEffect(() => {
    let isCurrent = true;
    setChanges(null);
    void Promise.all([api.stateAt(sessionId, from), api.stateAt(sessionId, to)]).then(([before, after]) => {
      if (!isCurrent) return;
      if (before.kind === "failed") setChanges(before.message);
      else if (after.kind === "failed") setChanges(after.message);
      else setChanges(diffStates(before.value.state, after.value.state));
    });
    return () => {
      isCurrent = false;
    };
  }, [sessionId, from, to]);
  return changes;
}

interface TurnSelectProps {
  label: string;
  tree: TreeNode[];
  chosen: string;
  choose: (turnId: string) => void;
}

function TurnSelect({ label, tree, chosen, choose }: TurnSelectProps) {
  const id = useId();
  const option = (node: TreeNode) => (
    <option key={node.turnId} value={node.turnId}>
      {nameOfTurn(node)}
    </option>
  );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={chosen} onChange={(event) => choose(event.target.value)}>
        <optgroup label="The way here">{tree.filter(({ isOnHeadPath }) => isOnHeadPath).map(option)}</optgroup>
        <optgroup label="Other paths">{tree.filter(({ isOnHeadPath }) => !isOnHeadPath).map(option)}</optgroup>
      </select>
    </div>
  );
}

function nameOfTurn({ number, prompt, bookmark }: TreeNode): string {
  const words = number === 0 ? "Opening scene" : `Turn ${number} · ${shorten(dropUnseen(prompt ?? ""), 50)}`;
  return bookmark === null ? words : `${words} (${shorten(dropUnseen(bookmark), 30)})`;
}

export function wordsForCount(count: number): string {
  if (count === 0) return "The state is the same.";
  return count === 1 ? "One value differs." : `${count.toLocaleString("en")} values differ.`;
}
