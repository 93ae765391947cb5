/** What went wrong with a tool: in words, then the details, a copy for a report, and another take. */
import { useState } from "react";
import type { ErrorDetail } from "../../../src/story/execution-result.ts";
import type { ToolView } from "../../../src/story/session-view.ts";
import { CopyButton } from "../copy-button.tsx";
import { Icon } from "../icon.tsx";
import { showUnseen } from "../name.tsx";
import { shorten } from "../words.ts";
import { wordsForCategory } from "./status-words.ts";

interface ToolErrorProps {
  tool: ToolView;
  error: ErrorDetail;
  retry: (() => void) | null;
}

export function ToolError({ tool, error, retry }: ToolErrorProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="notice problem tool-error" role="group" aria-label="What went wrong">
      <Icon name="error" />
      <p className="notice-text">
        <bdi>{showUnseen(shorten(error.message, 1000))}</bdi>
        <small>
          <code>{showUnseen(shorten(error.code, 80))}</code>: {wordsForCategory(error.category)}
        </small>
      </p>
      <div className="notice-actions">
        <button type="button" className="text-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide details" : "Show details"}
        </button>
        <CopyButton text={() => report(tool)} />
        {retry !== null && (
          <button type="button" className="text-button" title="Another take of this turn" onClick={retry}>
            <Icon name="refresh" />
            Retry
          </button>
        )}
      </div>
      {isOpen && (
        <pre className="notice-details" tabIndex={0} aria-label="Details">
          {showUnseenLines(report(tool).slice(0, 20_000))}
        </pre>
      )}
    </div>
  );
}

function report({ skill, toolId, status, attempt, maxAttempts, error, sandbox, attempts }: ToolView): string {
  return JSON.stringify({ skill, toolId, status, attempt, maxAttempts, error, sandbox, attempts }, null, 2);
}

/** Of a text with line breaks of its own. */
function showUnseenLines(text: string): string {
  return text
    .split("\n")
    .map((line) => (line.trim() === "" ? line : showUnseen(line.replaceAll("\t", "    "))))
    .join("\n");
}
