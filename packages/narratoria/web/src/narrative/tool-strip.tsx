/** One plain line for each tool at work, while the turn runs, and the button that stops it all. */
import type { ToolView, TurnView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { titleName, wordsForRetry } from "../words.ts";

const SHOWN_AT_MOST = 3;

export function ToolStrip({ turn, isAsking, stop }: { turn: TurnView; isAsking: boolean; stop: () => void }) {
  const atWork = turn.tools.filter(({ status }) => status === "running" || status === "retrying");
  const isWaiting = turn.tools.some(({ status }) => status === "waiting");
  const shown = atWork.slice(0, SHOWN_AT_MOST);
  return (
    <div className="strip" role="group" aria-label="What is happening">
      <div className="strip-lines">
        {shown.map((tool) => (
          <StripLine key={`${tool.planId} ${tool.toolId}`} tool={tool} />
        ))}
        {shown.length === 0 && <StripWait isAsking={isAsking} isWaiting={isWaiting} />}
        {atWork.length > shown.length && <p className="strip-more">and {atWork.length - shown.length} more</p>}
      </div>
      <m3e-icon-button aria-label="Stop (Esc)" title="Stop (Esc)" onClick={stop}>
        <Icon name="stop-fill" />
      </m3e-icon-button>
    </div>
  );
}

function StripLine({ tool }: { tool: ToolView }) {
  const retry = wordsForRetry(tool);
  const name = titleName(tool.skill);
  return (
    <div className="strip-line">
      <p>
        <b>{name}…</b>
        {retry !== null && <span className="strip-retry">{retry}</span>}
        {tool.message !== null && <span className="strip-message">{tool.message}</span>}
      </p>
      <Progress label={name} value={tool.progress} />
    </div>
  );
}

function StripWait({ isAsking, isWaiting }: { isAsking: boolean; isWaiting: boolean }) {
  const working = isWaiting ? "Waiting for a free hand…" : "The story is finding its words…";
  return (
    <div className="strip-line">
      <p>{isAsking ? "Waiting for your answer…" : working}</p>
      <Progress label="Working" value={null} />
    </div>
  );
}

function Progress({ label, value }: { label: string; value: number | null }) {
  if (value === null) return <m3e-linear-progress-indicator mode="indeterminate" aria-label={label} />;
  return <m3e-linear-progress-indicator mode="determinate" aria-label={label} value={Math.round(value * 100)} />;
}
