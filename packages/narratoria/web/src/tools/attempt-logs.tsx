/** The log lines of one attempt, fetched when they are looked at; only those in view are drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { LogLine } from "../../../src/runtime/session-service.ts";
import { api } from "../api.ts";

const LINES_AT_MOST = 10_000;
const LINE_HEIGHT = 20;

interface AttemptLogsProps {
  sessionId: string;
  spanId: string;
  /** Grows while the tool prints: then there is more to fetch. */
  logCount: number;
}

export function AttemptLogs({ sessionId, spanId, logCount }: AttemptLogsProps) {
  const [lines, setLines] = useState<LogLine[] | string>("Loading…");
  const wanted = Math.min(logCount, LINES_AT_MOST);
  useEffect(() => {
    let isCurrent = true;
    void api.logs(sessionId, spanId, 0, LINES_AT_MOST).then((answer) => {
      if (isCurrent) setLines(answer.kind === "ok" ? answer.value : answer.message);
    });
    return () => {
      isCurrent = false;
    };
  }, [sessionId, spanId, wanted]);
  if (typeof lines === "string") return <p className="quiet">{lines}</p>;
  if (lines.length === 0) return <p className="quiet">It logged nothing.</p>;
  return <LogList lines={lines} />;
}

function LogList({ lines }: { lines: LogLine[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  return (
    <div className="logs" ref={scroller} tabIndex={0} role="group" aria-label="Log lines">
      <div className="log-lines" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const line = lines[index];
          return (
            <div
              key={index}
              ref={list.measureElement}
              data-index={index}
              className={`log-line ${line?.level}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className="log-level">{line?.level}</span>
              <span>{line?.message}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
