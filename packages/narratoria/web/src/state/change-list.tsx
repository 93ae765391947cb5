/** What differs between two states: one line for each place, with what was there and what is. */
import type { Json } from "@narratoria/tool/json";
import type { Change } from "../../../src/story/session-view.ts";
import { showUnseen } from "../name.tsx";
import { VirtualLines } from "../virtual-lines.tsx";
import { shorten } from "../words.ts";

interface ChangeListProps {
  label: string;
  changes: Change[];
  /** Called with the path of the line that was pressed. */
  choose?: (path: string) => void;
}

export function ChangeList({ label, changes, choose }: ChangeListProps) {
  return (
    <VirtualLines
      className="change-list"
      role="group"
      aria-label={label}
      tabIndex={0}
      count={changes.length}
      line={(index, place) => {
        const change = changes[index];
        if (change === undefined) return null;
        const content = <ChangeLine change={change} />;
        return choose === undefined ? (
          <div key={change.path} className="change-line" style={place}>
            {content}
          </div>
        ) : (
          <button
            key={change.path}
            type="button"
            className="change-line"
            style={place}
            onClick={() => choose(change.path)}
          >
            {content}
          </button>
        );
      }}
    />
  );
}

function ChangeLine({ change: { path, before, after } }: { change: Change }) {
  const kind = before === undefined ? "new" : after === undefined ? "gone" : "changed";
  return (
    <>
      <span className={`change-kind is-${kind}`}>{kind}</span>
      <bdi className="change-path">{showUnseen(path || "/")}</bdi>
      <span className="change-values">
        {before !== undefined && <del>{write(before)}</del>}
        {before !== undefined && after !== undefined && <span aria-hidden="true">→</span>}
        {after !== undefined && <ins>{write(after)}</ins>}
      </span>
    </>
  );
}

function write(value: Json): string {
  return showUnseen(shorten((JSON.stringify(value) ?? "").slice(0, 400), 80));
}
