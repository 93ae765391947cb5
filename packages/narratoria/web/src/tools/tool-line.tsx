/** One tool in one line: how it stands, how long it took, its last words. */
import type { ToolView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { wordsForDuration } from "../words.ts";

const ICONS: { [status in ToolView["status"]]: string } = {
  pending: "schedule",
  running: "sync",
  retrying: "sync",
  completed: "check_circle",
  failed: "error",
  skipped: "block",
  timeout: "timer_off",
};

export function ToolLine({ tool }: { tool: ToolView }) {
  return (
    <div className={`tool-line ${tool.status}`}>
      <Icon name={ICONS[tool.status]} />
      <b>{tool.skill}</b>
      <span className="tool-time">{timeOf(tool)}</span>
      <span className="tool-words">
        <span className="visually-hidden">{tool.status}. </span>
        {tool.error?.message ?? tool.summary ?? tool.message ?? wordsForStatus(tool.status)}
      </span>
    </div>
  );
}

function timeOf(tool: ToolView): string {
  if (tool.status === "pending") return "waits";
  if (tool.status === "skipped") return "";
  if (tool.status === "running" || tool.status === "retrying") return `${tool.attempt} / ${tool.maxAttempts}`;
  return wordsForDuration(tool.durationMs);
}

function wordsForStatus(status: ToolView["status"]): string {
  return status === "timeout" ? "took too long" : status;
}
