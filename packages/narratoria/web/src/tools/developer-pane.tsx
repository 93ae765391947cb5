/** For who writes the tool: what it wrote to stderr, how it ended, and the turn's events as they are in the log. */
import { type CSSProperties, useEffect, useState } from "react";
import type { JsonObject } from "@narratoria/tool/json";
import type { EventOf, NarratoriaEvent } from "../../../src/story/event.ts";
import type { ToolView, TurnView } from "../../../src/story/session-view.ts";
import { type ApiAnswer, api } from "../api.ts";
import { CopyButton } from "../copy-button.tsx";
import { Dialog } from "../dialog.tsx";
import { showUnseen } from "../name.tsx";
import { useSettings } from "../settings/settings.ts";
import { VirtualLines } from "../virtual-lines.tsx";
import { LongText } from "./line-dialog.tsx";

interface DeveloperPaneProps {
  sessionId: string;
  turn: TurnView;
  tool: ToolView;
  /** The attempt that is looked at; null when none was made. */
  spanId: string | null;
}

export function DeveloperPane({ sessionId, turn, tool, spanId }: DeveloperPaneProps) {
  const { isDeveloper } = useSettings();
  // Whoever looks at a failure wants to know why.
  const [isOpen, setOpen] = useState(isDeveloper || tool.status === "failed" || tool.status === "timeout");
  const trace = useTrace(isOpen, sessionId, turn);
  return (
    <details className="developer" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>For developers: stderr and raw events</summary>
      {trace === null && <p className="quiet">Loading…</p>}
      {trace?.kind === "failed" && <p className="quiet">{trace.message}</p>}
      {trace?.kind === "ok" && (
        <>
          {spanId !== null && (
            <HowItEnded end={trace.value.filter(isEndOfTool).find(({ span_id }) => span_id === spanId)} />
          )}
          <RawEvents events={trace.value} />
        </>
      )}
    </details>
  );
}

function useTrace(isWanted: boolean, sessionId: string, turn: TurnView): ApiAnswer<NarratoriaEvent[]> | null {
  const [trace, setTrace] = useState<ApiAnswer<NarratoriaEvent[]> | null>(null);
  // Fetched anew when an attempt or the turn has ended, not for every line of a log.
  const stage = `${turn.status} ${turn.tools.flatMap(({ attempts }) => attempts.map(({ status }) => status)).join()}`;
  useEffect(() => {
    if (!isWanted) return undefined;
    let isCurrent = true;
    void api.turn(sessionId, turn.turnId).then((answer) => {
      if (isCurrent) setTrace(answer.kind === "ok" ? { kind: "ok", value: answer.value.trace } : answer);
    });
    return () => {
      isCurrent = false;
    };
  }, [isWanted, sessionId, turn.turnId, stage]);
  return trace;
}

function isEndOfTool(event: NarratoriaEvent): event is EventOf<"tool:end"> {
  return event.event === "tool:end";
}

function HowItEnded({ end }: { end: EventOf<"tool:end"> | undefined }) {
  if (end === undefined) return <p className="quiet">This attempt has not ended yet.</p>;
  const { signal, trace } = end.data;
  const stderr = end.data.stderrTail ?? "";
  const complaints = end.data.warnings ?? [];
  const linesAfterDone = end.data.eventsAfterDone ?? 0;
  return (
    <>
      <h3>stderr of this attempt</h3>
      {stderr === "" ? (
        <p className="quiet">It wrote nothing there.</p>
      ) : (
        <LongText text={stderr.trimEnd()} label="stderr" />
      )}
      {stderr !== "" && <CopyButton text={() => stderr} label="Copy stderr" />}
      {complaints.length > 0 && (
        <>
          <h3>Warnings</h3>
          <ul className="warnings">
            {complaints.slice(0, 50).map((warning, index) => (
              <li key={index}>
                <bdi>{showUnseen(warning.slice(0, 500))}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      <Facts
        facts={{
          ...(signal && { signal }),
          ...(linesAfterDone > 0 && { "lines after done": linesAfterDone }),
          ...trace,
        }}
      />
    </>
  );
}

function Facts({ facts }: { facts: JsonObject }) {
  return (
    <dl className="facts">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt>{showUnseen(name)}</dt>
          <dd>{showUnseen(typeof value === "string" ? value : JSON.stringify(value))}</dd>
        </div>
      ))}
    </dl>
  );
}

function RawEvents({ events }: { events: NarratoriaEvent[] }) {
  const [opened, setOpened] = useState<NarratoriaEvent | null>(null);
  return (
    <>
      <h3>Events of this turn ({events.length})</h3>
      <p className="quiet">As the log has them, without log lines.</p>
      <VirtualLines
        className="raw-events"
        style={{ "--line-count": events.length } as CSSProperties}
        role="list"
        aria-label="Events of this turn"
        count={events.length}
        line={(index, place) => {
          const event = events[index];
          return (
            <div key={index} role="listitem" style={place}>
              <button type="button" onClick={() => setOpened(event ?? null)}>
                <span>{event?.seq}</span>
                <b>{event?.event}</b>
                <bdi>{outline(event)}</bdi>
              </button>
            </div>
          );
        }}
      />
      <CopyButton text={() => events.map((event) => JSON.stringify(event)).join("\n")} label="Copy as NDJSON" />
      {opened !== null && (
        <Dialog title={`${opened.event}, number ${opened.seq ?? "?"}`} close={() => setOpened(null)}>
          <LongText text={JSON.stringify(opened, null, 2)} />
          <CopyButton text={() => JSON.stringify(opened, null, 2)} />
        </Dialog>
      )}
    </>
  );
}

function outline(event: NarratoriaEvent | undefined): string {
  if (event === undefined) return "";
  const toolId = "toolId" in event.data ? event.data.toolId : null;
  const type = event.event === "tool:event" ? event.data.event.type : null;
  const parts = [toolId, type, event.status, event.error?.code].filter((part) => typeof part === "string");
  return parts.map((part) => showUnseen(part.slice(0, 80))).join(" · ");
}
