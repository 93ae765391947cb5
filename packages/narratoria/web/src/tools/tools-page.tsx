/** Every tool that ran on the way here, newest turn first, with its attempts, logs and errors. */
import "./tools.css";
import { useState } from "react";
import type { SessionView, ToolView, TurnView } from "../../../src/story/session-view.ts";
import { EmptyState } from "../frame/empty-state.tsx";
import { shorten, wordsForDuration } from "../words.ts";
import { AttemptLogs } from "./attempt-logs.tsx";
import { ToolLine } from "./tool-line.tsx";

export function ToolsPage({ view }: { view: SessionView }) {
  const turns = view.turns.filter(({ tools }) => tools.length > 0).toReversed();
  if (turns.length === 0) {
    return (
      <EmptyState icon="handyman" title="No tools yet" text="When the story needs a tool, it shows here while it works." />
    );
  }
  return (
    <div className="place" tabIndex={0} role="group" aria-label="Tools that ran">
      <div className="column tool-turns">
        {turns.map((turn) => (
          <TurnTools key={turn.turnId} turn={turn} sessionId={view.sessionId} />
        ))}
      </div>
    </div>
  );
}

function TurnTools({ turn, sessionId }: { turn: TurnView; sessionId: string }) {
  return (
    <section aria-label={`Tools of turn ${turn.number}`}>
      <h2>
        Turn {turn.number} <span>{turn.prompt === null ? "The opening scene" : `› ${shorten(turn.prompt, 80)}`}</span>
      </h2>
      {turn.tools.map((tool) => (
        <ToolCard key={`${tool.planId} ${tool.toolId}`} tool={tool} sessionId={sessionId} />
      ))}
    </section>
  );
}

function ToolCard({ tool, sessionId }: { tool: ToolView; sessionId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <article className="card tool-card" aria-label={`${tool.skill}, ${tool.status}`}>
      <ToolLine tool={tool} />
      {tool.progress !== null && tool.status === "running" && (
        <m3e-linear-progress-indicator value={Math.round(tool.progress * 100)} aria-label={`${tool.skill} progress`} />
      )}
      <dl className="facts">
        <div>
          <dt>Attempt</dt>
          <dd>
            {tool.attempt} of {tool.maxAttempts}
          </dd>
        </div>
        <div>
          <dt>Logs</dt>
          <dd>{tool.logCount}</dd>
        </div>
        {tool.sandbox !== null && (
          <div>
            <dt>Sandbox</dt>
            <dd>{tool.sandbox}</dd>
          </div>
        )}
        {tool.error !== null && (
          <div>
            <dt>Error</dt>
            <dd>
              {tool.error.code} ({tool.error.category})
            </dd>
          </div>
        )}
      </dl>
      {tool.attempts.length > 0 && (
        <button type="button" className="text-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide attempts and logs" : "Show attempts and logs"}
        </button>
      )}
      {isOpen &&
        tool.attempts.map((attempt, index) => (
          <section key={attempt.spanId} className="attempt" aria-label={`Attempt ${index + 1}`}>
            <h3>
              Attempt {index + 1}: {attempt.status}
              {attempt.durationMs !== null && `, ${wordsForDuration(attempt.durationMs)}`}
              {attempt.exitCode !== null && `, exit code ${attempt.exitCode}`}
            </h3>
            <AttemptLogs sessionId={sessionId} spanId={attempt.spanId} logCount={tool.logCount} />
          </section>
        ))}
    </article>
  );
}
