/** One tool in one line: how it stands, how long it took, its last words. */
import type { ToolView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { Name, showUnseen } from "../name.tsx";
import { shorten, wordsForDuration } from "../words.ts";
import { STATUS_ICONS, wordsForStatus } from "./status-words.ts";

export function ToolLine({ tool }: { tool: ToolView }) {
  return (
    <div className={`tool-line ${tool.status}`}>
      <Icon name={STATUS_ICONS[tool.status]} />
      <b>
        <Name text={tool.skill} />
      </b>
      <span className="tool-time">{timeOf(tool)}</span>
      <span className="tool-words">
        <span className="visually-hidden">{wordsForStatus(tool.status)}. </span>
        <bdi>{showUnseen(shorten(lastWordsOf(tool), 300))}</bdi>
      </span>
    </div>
  );
}

export function lastWordsOf(tool: ToolView): string {
  return tool.error?.message ?? tool.summary ?? tool.message ?? wordsForStatus(tool.status);
}

function timeOf(tool: ToolView): string {
  if (tool.status === "pending" || tool.status === "waiting") return "waits";
  if (tool.status === "skipped") return "";
  if (tool.status === "running" || tool.status === "retrying") return `${tool.attempt} / ${tool.maxAttempts}`;
  return wordsForDuration(tool.durationMs);
}
