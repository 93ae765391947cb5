/**
 * The picture of the tree: turns as cards or dots, joined by lines, in an area that scrolls both ways. Only what is in
 * sight is in the document. Arrow keys go along parents, children and takes; `tree-page.tsx` says what pressing does.
 */
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "../icon.tsx";
import { showUnseen } from "../name.tsx";
import { shorten } from "../words.ts";
import { type Direction, neighbour, type PlacedTurn, type TurnLayout } from "./layout.ts";

export type Size = "cards" | "dots";

interface PictureProps {
  layout: TurnLayout;
  size: Size;
  headTurnId: string | null;
  /** The turn that the arrow keys are at. */
  active: PlacedTurn;
  move: (turn: PlacedTurn) => void;
  press: (turn: PlacedTurn) => void;
  /** Marked as one side of a comparison. */
  marked: string | null;
  forks: ReadonlyMap<string, number>;
}

interface Sight {
  top: number;
  left: number;
  width: number;
  height: number;
}

const CARD = { width: 208, height: 64, stepX: 232, stepY: 92 };
const DOT = { width: 44, height: 44, stepX: 48, stepY: 52 };
const MARGIN = 24;
const KEYS: { [key: string]: Direction } = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

export function Picture(props: PictureProps) {
  const { layout, size, headTurnId, active, move, press, marked, forks } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const sight = useSight(scroller);
  const measures = size === "cards" ? CARD : DOT;
  const place = (turn: PlacedTurn) => ({
    left: MARGIN + turn.lane * measures.stepX,
    top: MARGIN + turn.row * measures.stepY,
  });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const { left, top } = place(active);
    bringIntoSight(element, left, top, measures);
  }, [active, size]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = KEYS[event.key];
    const target =
      direction !== undefined
        ? neighbour(layout, active, direction)
        : event.key === "Home"
          ? layout.turns[0]
          : event.key === "End"
            ? layout.byId.get(headTurnId ?? "")
            : undefined;
    if (event.key === "Enter" || event.key === " ") press(active);
    else if (target) move(target);
    else if (direction === undefined) return;
    event.preventDefault();
  };

  const seen = turnsInSight(layout, sight, measures);
  if (!seen.includes(active)) seen.push(active);
  return (
    <div
      ref={scroller}
      className={`picture ${size}`}
      role="tree"
      aria-label="The tree of turns"
      tabIndex={0}
      aria-activedescendant={`turn-${active.node.turnId}`}
      onKeyDown={onKeyDown}
    >
      <div
        role="presentation"
        className="picture-area"
        style={{
          width: 2 * MARGIN + layout.lanes * measures.stepX,
          height: 2 * MARGIN + layout.rows.length * measures.stepY,
        }}
      >
        <Edges layout={layout} sight={sight} measures={measures} place={place} />
        {seen.map((turn) => (
          <TurnMark
            key={turn.node.turnId}
            turn={turn}
            size={size}
            style={{ ...place(turn), width: measures.width, height: measures.height }}
            isActive={turn === active}
            isHead={turn.node.turnId === headTurnId}
            isMarked={turn.node.turnId === marked}
            forks={forks.get(turn.node.turnId) ?? 0}
            press={() => press(turn)}
          />
        ))}
      </div>
    </div>
  );
}

interface TurnMarkProps {
  turn: PlacedTurn;
  size: Size;
  style: { left: number; top: number; width: number; height: number };
  isActive: boolean;
  isHead: boolean;
  isMarked: boolean;
  forks: number;
  press: () => void;
}

function TurnMark({ turn, size, style, isActive, isHead, isMarked, forks, press }: TurnMarkProps) {
  const { node, parent, row, children } = turn;
  const takes = parent?.children ?? [turn];
  const words = node.number === 0 ? "Opening scene" : (node.prompt ?? "");
  const facts = factsOf(turn, isHead, forks);
  const names = [
    "turn-mark",
    node.status,
    node.isOnHeadPath && "on-path",
    isHead && "is-head",
    isActive && "active",
    isMarked && "marked",
    node.ending !== null && "is-ending",
  ];
  return (
    <div
      id={`turn-${node.turnId}`}
      role="treeitem"
      aria-level={row + 1}
      aria-posinset={takes.indexOf(turn) + 1}
      aria-setsize={takes.length}
      aria-expanded={children.length > 0 ? true : undefined}
      aria-selected={isActive}
      aria-label={
        size === "dots" ? [`Turn ${node.number}: ${showUnseen(shorten(words, 120))}`, ...facts].join(", ") : undefined
      }
      title={showUnseen(shorten(words, 300))}
      className={names.filter(Boolean).join(" ")}
      style={style}
      onClick={press}
    >
      {size === "dots" ? (
        <span className="turn-dot">{symbolOf(turn) !== null && <Icon name={symbolOf(turn) ?? ""} />}</span>
      ) : (
        <>
          <span className="turn-words">
            <span className="visually-hidden">Turn {node.number}: </span>
            <bdi>{showUnseen(shorten(words, 80))}</bdi>
          </span>
          <span className="turn-facts">
            {symbolOf(turn) !== null && <Icon name={symbolOf(turn) ?? ""} />}
            {facts.length > 0 ? <bdi>{facts.join(" · ")}</bdi> : <span aria-hidden="true">turn {node.number}</span>}
          </span>
        </>
      )}
    </div>
  );
}

function factsOf({ node, parent, children }: PlacedTurn, isHead: boolean, forks: number): string[] {
  const takes = parent?.children.length ?? 1;
  const at = parent?.children.findIndex((take) => take.node === node) ?? 0;
  return [
    isHead && "you are here",
    node.ending !== null && `ending: ${showUnseen(node.ending)}`,
    node.bookmark !== null && `bookmark: ${showUnseen(node.bookmark)}`,
    node.status !== "completed" && node.status,
    forks > 0 && (forks === 1 ? "1 fork" : `${forks} forks`),
    takes > 1 && `take ${at + 1} of ${takes}`,
    children.length > 1 && `${children.length} ways on`,
  ].filter((fact) => fact !== false);
}

function symbolOf({ node }: PlacedTurn): string | null {
  if (node.bookmark !== null) return "bookmark-fill";
  if (node.ending !== null) return "star";
  return node.status === "failed" || node.status === "interrupted" ? "error" : null;
}

interface EdgesProps {
  layout: TurnLayout;
  sight: Sight;
  measures: typeof CARD;
  place: (turn: PlacedTurn) => { left: number; top: number };
}

/** One path for all lines in sight: hundreds of elements would be slower to pan. */
function Edges({ layout, sight, measures, place }: EdgesProps) {
  const lines: { [kind in "other" | "on-path"]: string[] } = { other: [], "on-path": [] };
  const [first, last] = rowsInSight(sight, measures);
  for (let row = Math.max(1, first); row <= last + 1; row++) {
    for (const turn of layout.rows[row] ?? []) {
      if (turn.parent === null) continue;
      const [from, to] = [place(turn.parent), place(turn)];
      if (to.left + measures.width < sight.left || from.left > sight.left + sight.width) continue;
      // Dots are smaller than their targets: their lines go from middle to middle, behind them.
      const gap = measures === DOT ? measures.height / 2 : 0;
      const [x1, y1] = [from.left + measures.width / 2, from.top + measures.height - gap];
      const [x2, y2] = [to.left + measures.width / 2, to.top + gap];
      const bend = (y1 + y2) / 2;
      const line = `M${x1} ${y1}V${bend}H${x2}V${y2}`;
      lines[turn.node.isOnHeadPath ? "on-path" : "other"].push(line);
    }
  }
  return (
    <svg className="picture-lines" aria-hidden="true">
      <path d={lines.other.join("")} />
      <path className="on-path" d={lines["on-path"].join("")} />
    </svg>
  );
}

function turnsInSight(layout: TurnLayout, sight: Sight, measures: typeof CARD): PlacedTurn[] {
  const [first, last] = rowsInSight(sight, measures);
  const lanes = [sight.left / measures.stepX - 2, (sight.left + sight.width) / measures.stepX + 1] as const;
  const turns: PlacedTurn[] = [];
  for (let row = first; row <= last; row++) {
    for (const turn of layout.rows[row] ?? []) if (turn.lane >= lanes[0] && turn.lane <= lanes[1]) turns.push(turn);
  }
  return turns;
}

function rowsInSight({ top, height }: Sight, { stepY }: typeof CARD): [first: number, last: number] {
  return [Math.max(0, Math.floor(top / stepY) - 2), Math.ceil((top + height) / stepY) + 2];
}

/** What part of the area shows; follows scrolling once a frame. */
function useSight(scroller: { current: HTMLDivElement | null }): Sight {
  const [sight, setSight] = useState<Sight>({ top: 0, left: 0, width: 1280, height: 800 });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const { scrollTop: top, scrollLeft: left, clientWidth: width, clientHeight: height } = element;
      setSight({ top, left, width, height });
    };
    const soon = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    const watching = new ResizeObserver(soon);
    watching.observe(element);
    element.addEventListener("scroll", soon, { passive: true });
    look();
    return () => {
      cancelAnimationFrame(frame);
      watching.disconnect();
      element.removeEventListener("scroll", soon);
    };
  }, [scroller]);
  return sight;
}

function bringIntoSight(element: HTMLElement, left: number, top: number, { width, height }: typeof CARD): void {
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
  if (left < scrollLeft || left + width > scrollLeft + clientWidth) {
    element.scrollLeft = left - Math.max(MARGIN, (clientWidth - width) / 2);
  }
  if (top < scrollTop || top + height > scrollTop + clientHeight) {
    element.scrollTop = top - Math.max(MARGIN, (clientHeight - height) / 2);
  }
}
