/** A turn's attempts as bars in time, with the pauses between them. The row's name says the same in words. */
import { useEffect, useState } from "react";
import type { AttemptView, ToolView, TurnView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { Name, showUnseen } from "../name.tsx";
import { shorten, wordsForDuration } from "../words.ts";
import { STATUS_ICONS, wordsForStatus } from "./status-words.ts";

interface PlanTimelineProps {
  turn: TurnView;
  chosen: ToolView | null;
  choose: (tool: ToolView) => void;
}

/** Seconds since 1970, as in the events. */
interface Span {
  from: number;
  to: number;
}

const SHOWN_AT_MOST = 200;
const TICKS = 4;

export function PlanTimeline({ turn, chosen, choose }: PlanTimelineProps) {
  const now = useNow(turn.status === "running");
  const whole = spanOf(turn, now);
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => index / TICKS);
  return (
    <section className="card plan-timeline" aria-label="Timeline">
      <div className="time-axis" aria-hidden="true">
        {ticks.map((part) => (
          <span key={part} style={{ left: `${part * 100}%` }}>
            {wordsForDuration((whole.to - whole.from) * 1000 * part)}
          </span>
        ))}
      </div>
      <ol>
        {turn.tools.slice(0, SHOWN_AT_MOST).map((tool) => (
          <li key={`${tool.planId} ${tool.toolId}`}>
            <TimelineRow
              tool={tool}
              plan={turn.plans.length > 1 ? turn.plans.findIndex(({ planId }) => planId === tool.planId) + 1 : null}
              whole={whole}
              now={now}
              isChosen={tool === chosen}
              choose={() => choose(tool)}
            />
          </li>
        ))}
      </ol>
      {turn.tools.length > SHOWN_AT_MOST && (
        <p className="quiet">{turn.tools.length - SHOWN_AT_MOST} more are in the list.</p>
      )}
      <p className="quiet">Dashed: waiting before the next attempt.</p>
    </section>
  );
}

interface TimelineRowProps {
  tool: ToolView;
  plan: number | null;
  whole: Span;
  now: number;
  isChosen: boolean;
  choose: () => void;
}

function TimelineRow({ tool, plan, whole, now, isChosen, choose }: TimelineRowProps) {
  const place = ({ from, to }: Span): { left: string; width: string } => {
    const length = whole.to - whole.from;
    return { left: `${((from - whole.from) / length) * 100}%`, width: `${((to - from) / length) * 100}%` };
  };
  const spans = tool.attempts.map((attempt) => attemptSpan(attempt, now));
  return (
    <button type="button" className={`time-row ${tool.status}`} aria-pressed={isChosen} onClick={choose}>
      <span className="time-name">
        <Icon name={STATUS_ICONS[tool.status]} />
        <span>
          <Name text={shorten(tool.skill, 40)} />
          {plan !== null && <small> plan {plan}</small>}
        </span>
      </span>
      <span className="visually-hidden">{inWords(tool)}</span>
      <span className="time-track" aria-hidden="true">
        {spans.map((span, index) => (
          <i key={index} className={`time-attempt ${tool.attempts[index]?.status}`} style={place(span)} />
        ))}
        {spans.slice(1).map((span, index) => (
          <i key={index} className="time-pause" style={place({ from: spans[index]?.to ?? span.from, to: span.from })} />
        ))}
      </span>
    </button>
  );
}

function inWords(tool: ToolView): string {
  if (tool.attempts.length === 0) return wordsForStatus(tool.status);
  return tool.attempts
    .map(({ status, durationMs }, index) => {
      const pause = pauseBefore(tool.attempts, index);
      const waited = pause === null ? "" : `waited ${wordsForDuration(pause)}, `;
      const took = durationMs === null ? "" : ` after ${wordsForDuration(durationMs)}`;
      return `${waited}attempt ${index + 1} ${showUnseen(wordsForStatus(status))}${took}`;
    })
    .join(", ");
}

/** How long it waited before this attempt, in milliseconds; null before the first. */
export function pauseBefore(attempts: readonly AttemptView[], index: number): number | null {
  const [previous, next] = [attempts[index - 1], attempts[index]];
  if (previous === undefined || next === undefined || previous.durationMs === null) return null;
  return Math.max(0, (next.startedAt - previous.startedAt) * 1000 - previous.durationMs);
}

function attemptSpan({ startedAt, durationMs }: AttemptView, now: number): Span {
  return { from: startedAt, to: durationMs === null ? Math.max(now, startedAt) : startedAt + durationMs / 1000 };
}

function spanOf({ tools, startedAt }: TurnView, now: number): Span {
  const spans = tools.flatMap(({ attempts }) => attempts.map((attempt) => attemptSpan(attempt, now)));
  const from = spans.reduce((least, span) => Math.min(least, span.from), spans[0]?.from ?? startedAt);
  const to = spans.reduce((most, span) => Math.max(most, span.to), from + 0.001);
  return { from, to };
}

/** Seconds, moving four times a second while something runs. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now() / 1000), 250);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
