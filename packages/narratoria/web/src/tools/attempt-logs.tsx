/** The log of one attempt: lines in sight are fetched, however many there are; follows the end while it runs. */
import { type CSSProperties, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { LogLine } from "../../../src/runtime/seams/session-service.ts";
import type { AttemptView } from "../../../src/story/session-view.ts";
import { type Lines, VirtualLines } from "../virtual-lines.tsx";
import { isFiltering, LEVELS, type LogFilter, type LogMatches, MOST_MATCHES, useLogMatches } from "./log-matches.ts";
import { useLogPages } from "./log-pages.ts";
import { wordsForLine } from "./log-words.ts";
import { LineDialog } from "./line-dialog.tsx";
import { wordsForBytes } from "../words.ts";

/** Browsers lay out nothing beyond some 33 million pixels. */
const MOST_LINES = 1_000_000;

export function AttemptLogs({ sessionId, attempt }: { sessionId: string; attempt: AttemptView }) {
  const { spanId, logCount } = attempt;
  const [filter, setFilter] = useState<LogFilter>({ level: "all", text: "" });
  const [opened, setOpened] = useState<number | null>(null);
  const pages = useLogPages(sessionId, spanId);
  const matches = useLogMatches(sessionId, spanId, logCount, filter);
  const isFiltered = isFiltering(filter);
  if (logCount === 0) return <p className="quiet">It logged nothing{attempt.status === "running" && " so far"}.</p>;
  return (
    <div className="log">
      <div className="log-bar">
        <label className="picker">
          <span>Level</span>
          <select value={filter.level} onChange={({ target }) => setFilter({ ...filter, level: target.value })}>
            <option value="all">All</option>
            {LEVELS.map((level, index) => (
              <option key={level} value={level}>
                {index < LEVELS.length - 1 ? `${level} and worse` : level}
              </option>
            ))}
          </select>
        </label>
        <label className="picker">
          <span>Search</span>
          <input
            type="search"
            value={filter.text}
            onChange={({ target }) => setFilter({ ...filter, text: target.value })}
          />
        </label>
        <p className="quiet" role="status">
          {isFiltered
            ? wordsForMatches(matches, logCount)
            : `${logCount.toLocaleString("en")} ${logCount === 1 ? "line" : "lines"}`}
        </p>
      </div>
      {pages.problem() !== null && <p className="quiet">{pages.problem()}</p>}
      {isFiltered ? (
        <LogList
          key="matches"
          count={matches.lines.length}
          lineAt={(index) => matches.lines[index]}
          follows={false}
          open={(index) => setOpened(matches.lines[index]?.number ?? null)}
        />
      ) : (
        <LogList
          key="all"
          // While it follows, lines that are not here yet do not push those that are out of sight.
          count={Math.min(logCount, MOST_LINES)}
          readyCount={Math.min(pages.fetchedEnd(), MOST_LINES)}
          lineAt={pages.line}
          need={pages.need}
          needEnd={pages.needEnd}
          follows={attempt.status === "running"}
          open={setOpened}
        />
      )}
      {logCount > MOST_LINES && (
        <p className="quiet">Only the first million lines can be shown; the search finds the rest.</p>
      )}
      {opened !== null && (
        <LineDialog sessionId={sessionId} spanId={spanId} number={opened} close={() => setOpened(null)} />
      )}
    </div>
  );
}

function wordsForMatches({ lines, searched, problem }: LogMatches, count: number): string {
  if (problem !== null) return problem;
  const found = lines.length === 1 ? "1 line found" : `${lines.length.toLocaleString("en")} lines found`;
  if (lines.length >= MOST_MATCHES) return `The first ${found}`;
  return searched < count ? `${found}, ${Math.floor((searched / count) * 100)} % searched` : found;
}

interface LogListProps {
  count: number;
  /** How many of them there are to show already; all when absent. */
  readyCount?: number;
  lineAt: (index: number) => LogLine | undefined;
  /** Called for a line in sight that is not there yet. */
  need?: (index: number) => void;
  needEnd?: (count: number) => void;
  follows: boolean;
  open: (index: number) => void;
}

function LogList({ count, readyCount = count, lineAt, need, needEnd, follows, open }: LogListProps) {
  const lines = useRef<Lines | null>(null);
  const [active, setActive] = useState(-1);
  const [isAtEnd, setAtEnd] = useState(follows);
  const isFollowing = isAtEnd && readyCount > 0;
  const shown = isFollowing ? Math.min(count, readyCount) : count;
  const lastTop = useRef(0);
  useLayoutEffect(() => {
    if (isFollowing) lines.current?.scrollToIndex(shown - 1, { align: "end" });
  }, [isFollowing, shown]);
  useEffect(() => {
    if (isAtEnd) needEnd?.(count);
  }, [isAtEnd, count, needEnd]);
  const move = (event: KeyboardEvent): void => {
    const steps: { [key: string]: number } = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -count,
      End: count,
    };
    const step = steps[event.key];
    if (step === undefined && event.key !== "Enter") return;
    // The same Enter would press the button that the dialog puts the focus on.
    event.preventDefault();
    if (step === undefined) return active >= 0 ? open(active) : undefined;
    const next = Math.min(count - 1, Math.max(0, active + step));
    setAtEnd(next === count - 1);
    setActive(next);
    lines.current?.scrollToIndex(next);
  };
  return (
    <VirtualLines
      className="log-list"
      style={{ "--line-count": count } as CSSProperties}
      role="listbox"
      aria-label="Log lines"
      tabIndex={0}
      isDense
      count={shown}
      lines={lines}
      keep={active}
      aria-activedescendant={active >= 0 ? `log-line-${active}` : undefined}
      onKeyDown={move}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        // Only who scrolls back stops following: new lines, too, put the end further away.
        if (scrollHeight - scrollTop - clientHeight < 4) setAtEnd(true);
        else if (scrollTop < lastTop.current - 1) setAtEnd(false);
        lastTop.current = scrollTop;
      }}
      line={(index, place) => {
        const choose = (): void => {
          setActive(index);
          open(index);
        };
        const row = { index, count, place, need, line: lineAt(index), isActive: index === active };
        return <LogRow key={index} {...row} open={choose} />;
      }}
    />
  );
}

interface LogRowProps {
  index: number;
  count: number;
  line: LogLine | undefined;
  place: { height: number; transform: string };
  isActive: boolean;
  need: ((index: number) => void) | undefined;
  open: () => void;
}

function LogRow({ index, count, line, place, isActive, need, open }: LogRowProps) {
  const isMissing = line === undefined;
  useEffect(() => {
    if (isMissing) need?.(index);
  }, [isMissing, need, index]);
  return (
    <div
      id={`log-line-${index}`}
      className={`log-line ${line?.level ?? ""}`}
      role="option"
      aria-selected={isActive}
      aria-setsize={count}
      aria-posinset={index + 1}
      style={place}
      onClick={open}
    >
      <span className="log-number">{(line?.number ?? index) + 1}</span>
      <span className="log-level">{line?.level ?? ""}</span>
      <bdi className="log-message">{line === undefined ? "…" : wordsForLine(line.message)}</bdi>
      {line?.length !== undefined && <span className="log-more">show all {wordsForBytes(line.length)}</span>}
    </div>
  );
}
