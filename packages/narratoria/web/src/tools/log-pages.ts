/**
 * The log lines of one attempt, fetched a page at a time as they come into sight. One request at a time: while a tool
 * prints faster than anybody reads, only the latest wish counts.
 */
import { useEffect, useMemo, useState } from "react";
import type { LogLine } from "../../../src/runtime/seams/session-service.ts";
import { api } from "../api.ts";

export const LINE_WIDTH = 2000;
const PAGE = 200;
const MOST_PAGES = 60;
const PAGES_IN_SIGHT = 4;
const PAUSE_MS = 50;

export interface LogPages {
  line: (index: number) => LogLine | undefined;
  /** This line is in sight. */
  need: (index: number) => void;
  /** The end is in sight, and this is how many lines there are. */
  needEnd: (count: number) => void;
  /** How many lines there are as far as was fetched. */
  fetchedEnd: () => number;
  /** Words, when the last request failed. */
  problem: () => string | null;
  close: () => void;
}

/** Shows again whenever a page has come. */
export function useLogPages(sessionId: string, spanId: string): LogPages {
  const [, setVersion] = useState(0);
  const pages = useMemo(
    () => createLogPages(sessionId, spanId, () => setVersion((version) => version + 1)),
    [sessionId, spanId],
  );
  useEffect(() => () => pages.close(), [pages]);
  return pages;
}

function createLogPages(sessionId: string, spanId: string, changed: () => void): LogPages {
  const pages = new Map<number, LogLine[]>();
  /** The lines looked at, by their pages; the last one is what is looked at now. */
  const wanted = new Map<number, number>();
  let isFetching = false;
  let isOpen = true;
  let problem: string | null = null;
  let fetchedEnd = 0;

  function want(index: number): void {
    const page = Math.floor(index / PAGE);
    const furthest = Math.max(index, wanted.get(page) ?? 0);
    wanted.delete(page);
    wanted.set(page, furthest);
    for (const longAgo of wanted.keys()) if (wanted.size > PAGES_IN_SIGHT) wanted.delete(longAgo);
    void fetchMissing();
  }

  function missing(): number | undefined {
    return [...wanted].findLast(([page, index]) => (pages.get(page)?.length ?? 0) <= index - page * PAGE)?.[0];
  }

  async function fetchMissing(): Promise<void> {
    if (isFetching) return;
    isFetching = true;
    for (let page = missing(); page !== undefined; page = missing()) {
      const answer = await api.logs(sessionId, spanId, { from: page * PAGE, count: PAGE, width: LINE_WIDTH });
      if (!isOpen) return;
      problem = answer.kind === "ok" ? null : answer.message;
      if (answer.kind === "ok") keep(page, answer.value);
      changed();
      await new Promise((settle) => setTimeout(settle, answer.kind === "ok" ? PAUSE_MS : 1000));
    }
    isFetching = false;
  }

  function keep(page: number, lines: LogLine[]): void {
    pages.delete(page);
    pages.set(page, lines);
    fetchedEnd = Math.max(fetchedEnd, page * PAGE + lines.length);
    // A line the server does not have would be asked for again and again.
    if (lines.length <= (wanted.get(page) ?? 0) - page * PAGE) wanted.delete(page);
    // A Map remembers the order: the first is the one fetched longest ago.
    for (const oldest of pages.keys()) if (pages.size > MOST_PAGES) pages.delete(oldest);
  }

  return {
    line: (index) => pages.get(Math.floor(index / PAGE))?.[index % PAGE],
    need: want,
    needEnd: (count) => {
      // The page before it, too: the end may just have begun a new one.
      if (count > PAGE) want(count - (count % PAGE) - 1);
      want(count - 1);
    },
    fetchedEnd: () => fetchedEnd,
    problem: () => problem,
    close: () => {
      isOpen = false;
      wanted.clear();
    },
  };
}
