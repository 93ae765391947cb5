/** One tool of a turn in full: what went wrong, its attempts with their logs, and what a developer asks for. */
import { useState } from "react";
import type { ToolView, TurnView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { Name, showUnseen } from "../name.tsx";
import { RouteLink } from "../route-link.tsx";
import { Segments } from "../segments.tsx";
import { wordsForDuration } from "../words.ts";
import { AttemptLogs } from "./attempt-logs.tsx";
import { DeveloperPane } from "./developer-pane.tsx";
import { pauseBefore } from "./plan-timeline.tsx";
import { STATUS_ICONS, wordsForAttempt, wordsForSandbox, wordsForStatus } from "./status-words.ts";
import { ToolError } from "./tool-error.tsx";

interface ToolDetailProps {
  sessionId: string;
  turn: TurnView;
  tool: ToolView;
  retry: () => void;
}

export function ToolDetail({ sessionId, turn, tool, retry }: ToolDetailProps) {
  const [picked, setPicked] = useState<string | null>(null);
  const at = tool.attempts.findIndex(({ spanId }) => spanId === picked);
  const index = at === -1 ? tool.attempts.length - 1 : at;
  const attempt = tool.attempts[index];
  const isRunning = tool.status === "running" || tool.status === "retrying";
  return (
    <section className={`card tool-detail ${tool.status}`} aria-label={`Details of ${showUnseen(tool.skill)}`}>
      <header>
        <Icon name={STATUS_ICONS[tool.status]} />
        <h2>
          <Name text={tool.skill} /> <span>{wordsForStatus(tool.status)}</span>
        </h2>
        <RouteLink className="text-button" to={{ kind: "session", sessionId, place: "narrative", item: turn.turnId }}>
          <Icon name="auto_stories" />
          In the story
        </RouteLink>
      </header>
      {isRunning && (
        <m3e-linear-progress-indicator
          {...(tool.progress === null ? { mode: "indeterminate" } : { value: Math.round(tool.progress * 100) })}
          aria-label={`Progress of ${showUnseen(tool.skill)}`}
        />
      )}
      {tool.summary !== null && (
        <p className="tool-summary">
          <bdi>{showUnseen(tool.summary.slice(0, 2000))}</bdi>
        </p>
      )}
      {tool.error !== null && (
        <ToolError tool={tool} error={tool.error} retry={turn.status === "running" ? null : retry} />
      )}
      <dl className="facts">
        <Fact name="Tried" value={wordsForAttempt(tool)} />
        {tool.durationMs !== null && <Fact name="Took" value={wordsForDuration(tool.durationMs)} />}
        <Fact name="Log lines" value={tool.logCount.toLocaleString("en")} />
        <Fact name="Sandbox" value={wordsForSandbox(tool.sandbox)} />
      </dl>
      {tool.attempts.length > 1 && (
        <Segments
          label="Attempts"
          options={tool.attempts.map(({ spanId, status }, number) => ({
            value: spanId,
            label: `${number + 1}: ${wordsForStatus(status)}`,
          }))}
          chosen={attempt?.spanId ?? ""}
          choose={setPicked}
        />
      )}
      {attempt !== undefined && (
        <>
          <h3>
            Attempt {index + 1} {wordsForStatus(attempt.status)}
            {attempt.durationMs !== null && ` after ${wordsForDuration(attempt.durationMs)}`}
            {attempt.exitCode !== null && `, exit code ${attempt.exitCode}`}
            {pauseBefore(tool.attempts, index) !== null &&
              `, having waited ${wordsForDuration(pauseBefore(tool.attempts, index))}`}
          </h3>
          <AttemptLogs key={attempt.spanId} sessionId={sessionId} attempt={attempt} />
        </>
      )}
      <DeveloperPane sessionId={sessionId} turn={turn} tool={tool} spanId={attempt?.spanId ?? null} />
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
