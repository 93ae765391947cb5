/** A terminal, or what stands in for one: lines that stay, and one status line below them that replaces itself. */
import type { WriteStream } from "node:tty";
import pc from "picocolors";
import { clean, cleanLine, cleanStyled } from "./terminal-text.ts";

export interface Terminal {
  /** Somebody watches: a status line makes sense. */
  readonly isLive: boolean;
  readonly style: ReturnType<typeof pc.createColors>;
  /** How wide text should be. */
  columns(): number;
  line(text?: string): void;
  lines(texts: readonly string[]): void;
  /** Null takes it away. Where nobody watches nothing is shown. */
  status(text: string | null): void;
}

const MOST_COLUMNS = 80;
const ERASE_LINE = "\r\u001b[2K";

export function createTerminal(stream: WriteStream): Terminal {
  const isLive = stream.isTTY && process.env["TERM"] !== "dumb";
  const isColored = isLive && !process.env["NO_COLOR"];
  const style = pc.createColors(isColored);
  let shown: string | null = null;

  function status(text: string | null): void {
    const next = text === null ? null : cleanLine(text, columns() - 1);
    if (!isLive || next === shown) return;
    stream.write(next === null ? ERASE_LINE : ERASE_LINE + style.dim(next));
    shown = next;
  }

  function columns(): number {
    return Math.max(20, Math.min(stream.columns || MOST_COLUMNS, MOST_COLUMNS));
  }

  function line(text = ""): void {
    status(null);
    stream.write(`${isColored ? cleanStyled(text) : clean(text)}\n`);
  }
  return { isLive, style, columns, line, lines: (texts) => texts.forEach((text) => line(text)), status };
}
