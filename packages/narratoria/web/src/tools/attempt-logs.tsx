/** The first log lines of one attempt, fetched when they are looked at. */
import { useEffect, useState } from "react";
import type { LogLine } from "../../../src/runtime/session-service.ts";
import { api } from "../api.ts";

const LINES = 200;

interface AttemptLogsProps {
  sessionId: string;
  spanId: string;
  /** Grows while the tool prints: then there is more to fetch. */
  logCount: number;
}

export function AttemptLogs({ sessionId, spanId, logCount }: AttemptLogsProps) {
  const [lines, setLines] = useState<LogLine[] | string>("Loading…");
  const wanted = Math.min(logCount, LINES);
  useEffect(() => {
    let isCurrent = true;
    void api.logs(sessionId, spanId, 0, LINES).then((answer) => {
      if (isCurrent) setLines(answer.kind === "ok" ? answer.value : answer.message);
    });
    return () => {
      isCurrent = false;
    };
  }, [sessionId, spanId, wanted]);
  if (typeof lines === "string") return <p className="quiet">{lines}</p>;
  if (lines.length === 0) return <p className="quiet">It logged nothing.</p>;
  return (
    <ol className="logs" tabIndex={0} aria-label="Log lines">
      {lines.map((line) => (
        <li key={line.seq} className={line.level}>
          <span className="log-level">{line.level}</span>
          <span>{line.message}</span>
        </li>
      ))}
    </ol>
  );
}
