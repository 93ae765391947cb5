/** The log lines of an attempt that match a level and a text: looked for page by page, and shown as they are found. */
import { useEffect, useState } from "react";
import type { LogLine } from "../../../src/runtime/seams/session-service.ts";
import { api } from "../api.ts";
import { LINE_WIDTH } from "./log-pages.ts";

export interface LogFilter {
  /** The least level that counts; "all" lets everything through. */
  level: string;
  text: string;
}

export interface LogMatches {
  lines: LogLine[];
  /** How many lines were looked at. */
  searched: number;
  problem: string | null;
}

export const LEVELS = ["debug", "info", "warn", "error"];
export const MOST_MATCHES = 10_000;
const PAGE = 4000;
const NOTHING: LogMatches = { lines: [], searched: 0, problem: null };

export function isFiltering({ level, text }: LogFilter): boolean {
  return level !== "all" || text.trim() !== "";
}

/** `count` may grow: what comes is looked at, too. */
export function useLogMatches(sessionId: string, spanId: string, count: number, filter: LogFilter): LogMatches {
  const [matches, setMatches] = useState(NOTHING);
  const { level, text } = filter;
  useEffect(() => setMatches(NOTHING), [sessionId, spanId, level, text]);
  const { searched, lines } = matches;
  const goesOn = isFiltering(filter) && searched < count && lines.length < MOST_MATCHES;
  useEffect(() => {
    if (!goesOn) return undefined;
    let isCurrent = true;
    void api.logs(sessionId, spanId, { from: searched, count: PAGE, width: LINE_WIDTH }).then((answer) => {
      if (!isCurrent) return;
      if (answer.kind === "failed")
        return setMatches((known) => ({ ...known, problem: answer.message, searched: count }));
      const found = answer.value.filter((line) => matchesFilter(line, { level, text }));
      // Nothing came where something should be: waiting for more would never end.
      const looked = answer.value.length === 0 ? count : searched + answer.value.length;
      setMatches((known) => ({
        lines: [...known.lines, ...found].slice(0, MOST_MATCHES),
        searched: looked,
        problem: null,
      }));
    });
    return () => {
      isCurrent = false;
    };
    // What is new is looked for when the last look has ended, not whenever a line comes.
  }, [sessionId, spanId, level, text, searched, goesOn]);
  return matches;
}

function matchesFilter(line: LogLine, { level, text }: LogFilter): boolean {
  if (level !== "all" && LEVELS.indexOf(line.level) < LEVELS.indexOf(level)) return false;
  return text.trim() === "" || line.message.toLowerCase().includes(text.trim().toLowerCase());
}
