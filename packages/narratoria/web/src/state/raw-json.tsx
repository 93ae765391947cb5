/** The state as JSON, to read and to copy. */
import type { JsonObject } from "@narratoria/tool/json";
import { useMemo } from "react";
import { CopyButton } from "../copy-button.tsx";
import { showUnseen } from "../name.tsx";
import { VirtualLines } from "../virtual-lines.tsx";

/** A line of megabytes would keep the browser busy; the copy has all of it. */
const LONGEST_LINE = 2_000;

export function RawJson({ state }: { state: JsonObject }) {
  const lines = useMemo(() => JSON.stringify(state, null, 2).split("\n"), [state]);
  return (
    <div className="raw-json">
      <div className="raw-actions">
        <p className="quiet">{lines.length} lines</p>
        <CopyButton text={() => JSON.stringify(state, null, 2)} label="Copy all" />
      </div>
      <VirtualLines
        className="raw-lines"
        role="group"
        aria-label="The state as JSON"
        tabIndex={0}
        isDense
        count={lines.length}
        line={(index, place) => (
          <div key={index} className="raw-line" style={place}>
            {cut(lines[index] ?? "")}
          </div>
        )}
      />
    </div>
  );
}

function cut(line: string): string {
  return showUnseen(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… (${line.length} characters)` : line);
}
