/**
 * Prints a session as it is told: whatever the view has gained since the last look. It only ever adds lines, so that a
 * terminal, a pipe and a file read alike; the tools' work shows in the status line below.
 */
import {
  type AssetView,
  type Passage,
  type SessionView,
  type ToolView,
  type TurnView,
  wordsForDuration,
  wordsForRetry,
} from "../story/index.ts";
import type { Terminal } from "./terminal.ts";
import { clean, cleanLine, renderProse, wrap, wrapWhole } from "./terminal-text.ts";
import { plainName, wordsForAsset, wordsForChange, wordsForProgress } from "./words.ts";

export interface StoryPrinter {
  title(view: SessionView): void;
  /** Prints what is new in the running turn. */
  follow(view: SessionView): Promise<void>;
  /** Prints the turn at the head once more, as it was. */
  recap(view: SessionView): Promise<void>;
}

const STATUS_EVERY_MS = 50;

export function createStoryPrinter(
  terminal: Terminal,
  assetFile: (asset: AssetView) => Promise<string | null>,
): StoryPrinter {
  const { style } = terminal;
  let turnId: string | null = null;
  let passages = 0;
  /** How much is printed of a text that is still being told. */
  let toldLength = 0;
  let isEnded = false;
  let isGapOwed = false;
  /** "tool attempt" of those that were announced where there is no status line. */
  let announced = new Set<string>();
  let statusAt = 0;
  /** Where an asset lies is asked in the middle of a turn: who comes meanwhile waits. */
  let printing: Promise<void> = Promise.resolve();

  function inOrder(print: () => Promise<void>): Promise<void> {
    printing = printing.catch(() => {}).then(print);
    return printing;
  }

  async function follow(view: SessionView): Promise<void> {
    const turn = view.turns.at(-1);
    if (turn === undefined) return;
    // A turn that is over when it is first seen was told before: the head went back to it, and `recap` shows it.
    if (turn.turnId !== turnId && turn.status !== "running") return;
    if (turn.turnId !== turnId) begin(turn);
    if (turn.status === "running") isEnded = false;
    await tell(view, turn);
  }

  async function recap(view: SessionView): Promise<void> {
    const turn = view.turns.at(-1);
    if (turn === undefined) return;
    if (turn.prompt !== null) terminal.lines([style.magenta(`> ${cleanLine(turn.prompt, 400)}`), ""]);
    begin(turn);
    await tell(view, turn);
  }

  async function tell(view: SessionView, turn: TurnView): Promise<void> {
    for (const passage of turn.passages.slice(passages)) {
      if (passage.kind === "text" && passage.isTold) {
        const isGrowing = turn.status === "running" && !passage.isWhole && passage === turn.passages.at(-1);
        printTold(passage.text, isGrowing);
        if (isGrowing) break;
        toldLength = 0;
      } else print(await renderPassage(passage, turn), passage.kind !== "text");
      passages++;
    }
    if (turn.status === "running") showProgress(turn);
    else if (!isEnded) end(view, turn);
  }

  /** Paragraph by paragraph: a line that was printed cannot be broken differently any more. */
  function printTold(text: string, isGrowing: boolean): void {
    const end = isGrowing ? Math.max(toldLength, text.lastIndexOf("\n\n")) : text.length;
    const fresh = text.slice(toldLength, end);
    if (fresh.trim() !== "") print(renderProse(fresh.trim(), terminal.columns(), style), false);
    toldLength = end;
  }

  function begin(turn: TurnView): void {
    turnId = turn.turnId;
    passages = 0;
    toldLength = 0;
    isEnded = false;
    isGapOwed = false;
    announced = new Set();
  }

  /** A blank line stands between paragraphs; what tools did in between stays together. */
  function print(lines: readonly string[], isAside: boolean): void {
    if (isGapOwed && !isAside) terminal.line();
    terminal.lines(lines);
    if (!isAside) terminal.line();
    isGapOwed = isAside;
  }

  async function renderPassage(passage: Passage, turn: TurnView): Promise<string[]> {
    const columns = terminal.columns();
    switch (passage.kind) {
      case "text":
        return renderProse(passage.text, columns, style);
      case "changes": {
        const chips = passage.changes.map((change) => `[${wordsForChange(change)}]`);
        return wrapWhole(chips, columns, "  ").map((line) => style.cyan(line));
      }
      case "asset":
        return renderAsset(passage.asset);
      case "placeholder": {
        const payload = cleanLine(JSON.stringify(passage.payload), 200);
        return wrap(`[${cleanLine(passage.event, 40)}] ${payload}`, columns, "  ").map((line) => style.dim(line));
      }
      case "problem": {
        const tool = turn.tools.findLast(({ toolId }) => toolId === passage.toolId);
        const who = plainName(tool?.skill ?? passage.toolId);
        return wrap(`! ${who}: ${cleanLine(passage.message, 400)}`, columns, "  ").map(style.yellow);
      }
    }
  }

  async function renderAsset(asset: AssetView): Promise<string[]> {
    const file = await assetFile(asset);
    const what = wordsForAsset(asset);
    if (file === null) {
      return wrap(
        `[${what}: not shown, ${cleanLine(asset.reason ?? "it is gone", 200)}]`,
        terminal.columns(),
        "  ",
      ).map(style.dim);
    }
    // Not wrapped: a path is for copying.
    return [`  ${style.magenta(`[${what}]`)}`, `  ${style.dim(file)}`];
  }

  function showProgress({ tools }: TurnView): void {
    const running = tools.filter(({ status }) => status === "running" || status === "retrying");
    if (!terminal.isLive) return announce(running);
    // A tool may report a hundred thousand times a second; nobody reads that.
    if (performance.now() - statusAt < STATUS_EVERY_MS && running.length > 0) return;
    statusAt = performance.now();
    terminal.status(running.length === 0 ? null : running.map(wordsForProgress).join("  "));
  }

  function announce(running: readonly ToolView[]): void {
    for (const tool of running.filter(({ attempt }) => attempt > 0)) {
      const key = `${tool.planId} ${tool.toolId} ${tool.attempt}`;
      if (announced.has(key)) continue;
      announced.add(key);
      const retry = wordsForRetry(tool);
      print([`  (${plainName(tool.skill)}${retry === null ? "" : `, ${retry}`})`], true);
    }
  }

  function end(view: SessionView, turn: TurnView): void {
    isEnded = true;
    terminal.status(null);
    if (isGapOwed) terminal.line();
    isGapOwed = false;
    if (terminal.isLive) printToolTimes(turn);
    if (turn.notice !== null) print(wrap(clean(turn.notice), terminal.columns()).map(style.yellow), false);
    if (turn.status === "interrupted") {
      print([style.yellow("This turn was interrupted. /resume goes on with it, /discard takes it back.")], false);
    }
    if (turn.ending !== null) printEnding(turn.ending);
    view.choices.forEach(({ label, hint, difficulty }, index) => {
      const asides = [hint, difficulty].filter((aside) => aside !== undefined && aside !== null && aside !== "");
      const aside = asides.length === 0 ? "" : style.dim(`  ${cleanLine(asides.join(", "), 60)}`);
      const number = String(index + 1).padStart(3);
      terminal.line(`${style.bold(number)}  ${cleanLine(label, terminal.columns() - 6)}${aside}`);
    });
    if (view.choices.length > 0) terminal.line();
  }

  function printEnding(ending: string): void {
    const text = `~ ${cleanLine(ending, terminal.columns() - 6)} ~`;
    const indent = " ".repeat(Math.max(0, Math.floor((terminal.columns() - text.length) / 2)));
    print([`${indent}${style.bold(text)}`], false);
  }

  function printToolTimes(turn: TurnView): void {
    const done = turn.tools.filter(({ durationMs, attempt }) => durationMs !== null && attempt > 0);
    if (done.length === 0) return;
    const parts = done.map(({ skill, durationMs, attempt, status }) => {
      const tries = attempt > 1 ? `, ${attempt} tries` : "";
      const outcome = status === "completed" ? "" : turn.status === "cancelled" ? ", stopped" : `, ${status}`;
      return `${plainName(skill)} ${wordsForDuration(durationMs ?? 0)}${tries}${outcome}`;
    });
    print(wrap(parts.join(" · "), terminal.columns(), "  ").map(style.dim), false);
  }

  return {
    title: (view) => {
      const title = cleanLine(view.title, terminal.columns());
      terminal.lines(["", style.bold(style.magenta(title)), style.dim("-".repeat(title.length)), ""]);
    },
    follow: (view) => inOrder(() => follow(view)),
    recap: (view) => inOrder(() => recap(view)),
  };
}
