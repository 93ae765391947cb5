/** Which turn's tools are shown: the newest unless another is picked. */
import type { SessionView, TurnView } from "../../../src/story/session-view.ts";
import { dropUnseen } from "../name.tsx";
import { shorten } from "../words.ts";
import { chooseTool } from "./chosen-tool.ts";

export function TurnPicker({ view, turn }: { view: SessionView; turn: TurnView }) {
  const offered = view.turns.filter(({ plans, turnId }) => plans.length > 0 || turnId === turn.turnId).toReversed();
  return (
    <label className="picker">
      <span>Turn</span>
      <select
        value={turn.turnId}
        onChange={({ target }) => {
          const next = view.turns.find(({ turnId }) => turnId === target.value);
          if (next !== undefined) chooseTool(view.sessionId, next, null);
        }}
      >
        {offered.map((each) => (
          <option key={each.turnId} value={each.turnId}>
            {titleOf(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

function titleOf({ number, prompt, tools }: TurnView): string {
  const failed = tools.filter(({ status }) => status === "failed" || status === "timeout").length;
  const said = prompt === null ? "the opening scene" : shorten(dropUnseen(prompt), 60);
  return `${number}: ${said}${failed > 0 ? ` (${failed} failed)` : ""}`;
}
