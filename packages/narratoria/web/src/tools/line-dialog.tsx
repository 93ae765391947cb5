/** One log line, whole: with its time and its fields, readable to the end however long it is. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import type { LogLine } from "../../../src/runtime/seams/session-service.ts";
import { type ApiAnswer, api } from "../api.ts";
import { CopyButton } from "../copy-button.tsx";
import { Dialog } from "../dialog.tsx";
import { showUnseen } from "../name.tsx";
import { splitForReading } from "./log-words.ts";

interface LineDialogProps {
  sessionId: string;
  spanId: string;
  number: number;
  close: () => void;
}

export function LineDialog({ sessionId, spanId, number, close }: LineDialogProps) {
  const [answer, setAnswer] = useState<ApiAnswer<LogLine[]> | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void api.logs(sessionId, spanId, { from: number, count: 1 }).then((given) => isCurrent && setAnswer(given));
    return () => {
      isCurrent = false;
    };
  }, [sessionId, spanId, number]);
  const line = answer?.kind === "ok" ? answer.value[0] : undefined;
  return (
    <Dialog title={`Line ${(number + 1).toLocaleString("en")}`} close={close}>
      {answer === null && <p className="quiet">Loading…</p>}
      {answer?.kind === "failed" && <p>{answer.message}</p>}
      {line !== undefined && (
        <>
          <p className="quiet">
            {`${line.level}, ${new Date(line.ts * 1000).toLocaleTimeString()}, `}
            {line.message.length.toLocaleString("en")} characters
          </p>
          <LongText
            text={line.fields === null ? line.message : `${line.message}\n\n${JSON.stringify(line.fields, null, 2)}`}
          />
          <CopyButton text={() => line.message} />
        </>
      )}
    </Dialog>
  );
}

/** Laid out piece by piece: ten million characters at once would stop the page for seconds. */
export function LongText({ text, label = "The whole text" }: { text: string; label?: string }) {
  const pieces = useMemo(() => splitForReading(text), [text]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: pieces.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (((pieces[index]?.length ?? 0) / 80) | 0) * 20 + 20,
    overscan: 2,
  });
  return (
    <div className="long-text" ref={scroller} tabIndex={0} role="group" aria-label={label}>
      <div className="long-text-height" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            data-index={index}
            ref={virtual.measureElement}
            style={{ transform: `translateY(${start}px)` }}
          >
            {wordsFor(pieces[index] ?? "")}
          </div>
        ))}
      </div>
    </div>
  );
}

function wordsFor(piece: string): string {
  const plain = piece.replaceAll("\t", "    ");
  return plain.trim() === "" ? `${plain} ` : showUnseen(plain);
}
