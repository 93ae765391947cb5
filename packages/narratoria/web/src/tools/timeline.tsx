/** A turn's attempts as bars in time. The same facts stand in words beside it, so it is decoration. */
import type { ToolView } from "../../../src/story/session-view.ts";

export function Timeline({ tools }: { tools: ToolView[] }) {
  const attempts = tools.flatMap((tool) => tool.attempts);
  if (attempts.length === 0) return null;
  const start = Math.min(...attempts.map(({ startedAt }) => startedAt));
  const end = Math.max(...attempts.map(({ startedAt, durationMs }) => startedAt + (durationMs ?? 0) / 1000));
  const span = Math.max(end - start, 0.001);
  return (
    <div className="timeline" aria-hidden="true">
      {attempts.map(({ spanId, status, startedAt, durationMs }) => (
        <i
          key={spanId}
          className={status}
          style={{
            left: `${((startedAt - start) / span) * 100}%`,
            width: durationMs === null ? "12%" : `max(6px, ${(durationMs / 1000 / span) * 100}%)`,
          }}
        />
      ))}
    </div>
  );
}
