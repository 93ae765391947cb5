/** A plan as a list: each tool with how it stands, what it waited for and its last words. */
import { useState } from "react";
import type { PlanView, ToolView, TurnView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { Name, showUnseen } from "../name.tsx";
import { shorten, wordsForDuration } from "../words.ts";
import { STATUS_ICONS, wordsForAttempt, wordsForStatus } from "./status-words.ts";
import { lastWordsOf } from "./tool-line.tsx";

export interface PlanProps {
  turn: TurnView;
  plan: PlanView;
  chosen: ToolView | null;
  choose: (tool: ToolView) => void;
}

const SHOWN_AT_FIRST = 100;

export function PlanList({ turn, plan, chosen, choose }: PlanProps) {
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  const tools = turn.tools.filter(({ planId }) => planId === plan.planId);
  return (
    <ul className="tool-cards" aria-label="Tools of this plan">
      {tools.slice(0, shown).map((tool) => (
        <li key={tool.toolId}>
          <ToolCard
            tool={tool}
            after={(plan.dependencies[tool.toolId] ?? []).map((id) => wordsForDependency(id, tool, tools))}
            isChosen={tool === chosen}
            choose={() => choose(tool)}
          />
        </li>
      ))}
      {tools.length > shown && (
        <li>
          <button type="button" className="text-button" onClick={() => setShown(shown + 10 * SHOWN_AT_FIRST)}>
            {tools.length - shown} more
          </button>
        </li>
      )}
    </ul>
  );
}

interface ToolCardProps {
  tool: ToolView;
  after: string[];
  isChosen: boolean;
  choose: () => void;
}

function ToolCard({ tool, after, isChosen, choose }: ToolCardProps) {
  const { status, progress } = tool;
  return (
    <button type="button" className={`card tool-card ${status}`} aria-pressed={isChosen} onClick={choose}>
      <Icon name={STATUS_ICONS[status]} />
      <span className="tool-name">
        <Name text={shorten(tool.skill, 80)} />
        {tool.toolId !== tool.skill && (
          <small>
            <Name text={shorten(tool.toolId, 40)} />
          </small>
        )}
      </span>
      <span className="tool-time">{wordsForDuration(tool.durationMs)}</span>
      <span className="tool-state">
        {wordsForStatus(status)}
        {tool.attempt > 0 && `, ${wordsForAttempt(tool)}`}
        {progress !== null && status === "running" && `, ${Math.round(progress * 100)} %`}
      </span>
      {lastWordsOf(tool) !== wordsForStatus(status) && (
        <span className="tool-words">
          <bdi>{showUnseen(shorten(lastWordsOf(tool), 200))}</bdi>
        </span>
      )}
      {after.length > 0 && <span className="tool-after">after {after.join(", ")}</span>}
    </button>
  );
}

/** Of a tool that was skipped: also what it was that kept it from running. */
function wordsForDependency(toolId: string, { status }: ToolView, tools: readonly ToolView[]): string {
  const name = showUnseen(shorten(toolId, 40));
  const outcome = tools.find((tool) => tool.toolId === toolId)?.status ?? "pending";
  return status !== "skipped" || outcome === "completed" ? name : `${name}, which ${PAST[outcome] ?? "had not run"}`;
}

const PAST: { [status in ToolView["status"]]?: string } = {
  failed: "failed",
  timeout: "took too long",
  skipped: "was skipped",
};
