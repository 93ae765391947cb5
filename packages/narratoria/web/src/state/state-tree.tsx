/** The state as a tree that opens and closes, by mouse and by keyboard; only the lines in sight are in the document. */
import type { Json, JsonObject } from "@narratoria/tool/json";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { showUnseen } from "../name.tsx";
import { shorten } from "../words.ts";
import { type LinePlace, type Lines, VirtualLines } from "../virtual-lines.tsx";
import { openAtFirst, type Row, visibleRows, waysTo } from "./rows.ts";

interface StateTreeProps {
  state: JsonObject;
  /** Paths that the last turn changed. */
  changed: ReadonlySet<string>;
  chosen: string | null;
  choose: (path: string) => void;
}

export function StateTree({ state, changed, chosen, choose }: StateTreeProps) {
  const [open, setOpen] = useState(() => openAtFirst(state, changed));
  const [activePath, setActivePath] = useState<string | null>(null);
  const lines = useRef<Lines>(null);
  const rows = useMemo(() => visibleRows(state, open), [state, open]);
  const holdsChanges = useMemo(() => waysTo(changed), [changed]);
  const active = Math.max(0, activePath === null ? 0 : rows.findIndex(({ path }) => path === activePath));

  const toggle = ({ path, isOpen }: Row): void => {
    const next = new Set(open);
    if (isOpen) next.delete(path);
    else next.add(path);
    setOpen(next);
  };
  const moveTo = (index: number): void => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (row === undefined) return;
    setActivePath(row.path);
    lines.current?.scrollToIndex(rows.indexOf(row), { align: "auto" });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[active];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const isOpenable = row.size !== null;
    const moves: { [key: string]: () => void } = {
      ArrowDown: () => moveTo(active + 1),
      ArrowUp: () => moveTo(active - 1),
      PageDown: () => moveTo(active + 15),
      PageUp: () => moveTo(active - 15),
      Home: () => moveTo(0),
      End: () => moveTo(rows.length - 1),
      ArrowRight: () => (isOpenable && !row.isOpen ? toggle(row) : isOpenable && moveTo(active + 1)),
      ArrowLeft: () => (row.isOpen ? toggle(row) : moveTo(parentOf(rows, active))),
      Enter: () => choose(row.path),
      " ": () => choose(row.path),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  };

  if (rows.length === 0) return <p className="quiet state-empty">The state is empty at this turn.</p>;
  return (
    <VirtualLines
      className="state-tree"
      role="tree"
      aria-label="The state"
      tabIndex={0}
      aria-activedescendant={`state-row-${active}`}
      onKeyDown={onKeyDown}
      count={rows.length}
      keep={active}
      lines={lines}
      line={(index, place) => {
        const row = rows[index];
        if (row === undefined) return null;
        return (
          <TreeLine
            key={row.path}
            id={`state-row-${index}`}
            row={row}
            place={place}
            isActive={index === active}
            isChosen={row.path === chosen}
            mark={changed.has(row.path) ? "is-changed" : holdsChanges.has(row.path) && !row.isOpen ? "holds" : null}
            press={() => {
              setActivePath(row.path);
              choose(row.path);
              if (row.size !== null) toggle(row);
            }}
          />
        );
      }}
    />
  );
}

interface TreeLineProps {
  id: string;
  row: Row;
  place: LinePlace;
  isActive: boolean;
  isChosen: boolean;
  mark: "is-changed" | "holds" | null;
  press: () => void;
}

function TreeLine({ id, row, place, isActive, isChosen, mark, press }: TreeLineProps) {
  const { name, value, level, size, isOpen } = row;
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={level}
      aria-setsize={row.siblings}
      aria-posinset={row.position}
      aria-expanded={size === null ? undefined : isOpen}
      aria-selected={isChosen}
      className={`state-row${isActive ? " active" : ""}${mark === null ? "" : ` ${mark}`}`}
      style={{ ...place, paddingInlineStart: `${0.5 + (Math.min(level, 12) - 1) * 1.25}rem` }}
      onClick={press}
    >
      <span className="state-twist" aria-hidden="true">
        {size === null ? "" : isOpen ? "▾" : "▸"}
      </span>
      <bdi className="state-name">{showUnseen(shorten(name, 200))}</bdi>
      {size === null ? <bdi className={`state-value ${typeof value}`}>{writeLeaf(value)}</bdi> : <Size row={row} />}
      {mark === "is-changed" && <span className="state-mark">changed</span>}
      {mark === "holds" && <span className="state-mark">changes inside</span>}
    </div>
  );
}

function Size({ row: { value, size } }: { row: Row }) {
  const words = Array.isArray(value) ? "item" : "name";
  return <span className="state-size">{size === 1 ? `1 ${words}` : `${size} ${words}s`}</span>;
}

/** Enough of it to recognise; the panel beside has all. */
function writeLeaf(value: Json): string {
  return showUnseen(JSON.stringify(typeof value === "string" ? shorten(value.slice(0, 400), 200) : value));
}

function parentOf(rows: Row[], index: number): number {
  const level = rows[index]?.level ?? 1;
  return Math.max(
    0,
    rows.findLastIndex((row, at) => at < index && row.level < level),
  );
}
