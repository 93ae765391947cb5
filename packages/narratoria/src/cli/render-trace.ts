/** A turn as a timeline: its plans, their tools, every attempt with a bar, and the waits in between. */
import type { TurnRecord } from "../index.ts";
import { type NarratoriaEvent, type PlanView, type ToolView, wordsForDuration } from "../story/index.ts";
import type { Terminal } from "./terminal.ts";
import { cleanLine, wrap } from "./terminal-text.ts";

const BAR_COLUMNS = 24;

export function renderTrace({ turn, trace }: TurnRecord, terminal: Terminal): string[] {
  const { style } = terminal;
  const from = turn.startedAt;
  const until = turn.endedAt ?? Math.max(from, ...trace.map(({ ts }) => ts));
  const prompt = turn.prompt === null ? "the opening scene" : `"${cleanLine(turn.prompt, 60)}"`;
  const lines = [
    style.bold(`Turn ${turn.number}, ${prompt}: ${turn.status} in ${wordsForDuration((until - from) * 1000)}`),
  ];
  if (turn.notice !== null) lines.push(...wrap(cleanLine(turn.notice), terminal.columns(), "  ").map(style.yellow));
  if (turn.plans.length === 0) lines.push("  No plan: the narrator answered at once.");
  turn.plans.forEach((plan, index) => lines.push("", ...renderPlan(plan, index)));
  return lines;

  function renderPlan(plan: PlanView, index: number): string[] {
    const facts = [
      plan.generationAttempt > 1 ? `replan ${plan.generationAttempt - 1}` : null,
      plan.disabledSkills.length > 0 ? `without ${cleanLine(plan.disabledSkills.join(", "), 60)}` : null,
    ].filter((fact) => fact !== null);
    const aside = facts.length === 0 ? "" : ` (${facts.join("; ")})`;
    return [
      `Plan ${index + 1}: ${plan.status}${aside}  ${style.dim(cleanLine(plan.planId, 60))}`,
      ...plan.problems.map(({ pointer, code, message }) =>
        style.yellow(`  ${cleanLine(pointer, 60)} ${code}: ${cleanLine(message, 120)}`),
      ),
      ...turn.tools.filter(({ planId }) => planId === plan.planId).flatMap(renderTool),
    ];
  }

  function renderTool(tool: ToolView): string[] {
    const logs = tool.logCount === 0 ? "" : `, ${tool.logCount} log ${tool.logCount === 1 ? "line" : "lines"}`;
    const title = `  ${cleanLine(tool.toolId, 24)} = ${cleanLine(tool.skill, 24)}: ${tool.status}${logs}`;
    const lines = [tool.status === "completed" ? title : style.yellow(title)];
    tool.attempts.forEach((attempt, index) => {
      const before = tool.attempts[index - 1];
      if (before !== undefined && before.durationMs !== null) {
        const waited = (attempt.startedAt - before.startedAt) * 1000 - before.durationMs;
        lines.push(style.dim(`    waited ${wordsForDuration(Math.max(0, waited))}`));
      }
      const endedAt = attempt.durationMs === null ? until : attempt.startedAt + attempt.durationMs / 1000;
      const length = attempt.durationMs === null ? "not over" : wordsForDuration(attempt.durationMs);
      const exit = attempt.exitCode === null || attempt.exitCode === 0 ? "" : `, exit ${attempt.exitCode}`;
      const outcome = `${attempt.status}${exit}${reasonOf(attempt.spanId)}`;
      const bar = drawBar(attempt.startedAt, endedAt);
      lines.push(`    ${bar} ${length.padStart(8)}  ${cleanLine(outcome, Math.max(20, terminal.columns() - 40))}`);
    });
    if (tool.attempts.length === 0 && tool.error !== null) lines.push(`    ${cleanLine(tool.error.message, 120)}`);
    if (tool.summary !== null) lines.push(style.dim(`    ${cleanLine(tool.summary, terminal.columns() - 4)}`));
    return lines;
  }

  function drawBar(start: number, end: number): string {
    const scale = (at: number): number => Math.round(((at - from) / Math.max(until - from, 0.001)) * BAR_COLUMNS);
    const first = Math.min(Math.max(0, scale(start)), BAR_COLUMNS - 1);
    const last = Math.min(Math.max(first + 1, scale(end)), BAR_COLUMNS);
    return `|${" ".repeat(first)}${style.cyan("=".repeat(last - first))}${" ".repeat(BAR_COLUMNS - last)}|`;
  }

  function reasonOf(spanId: string): string {
    const end = trace.find((event: NarratoriaEvent) => event.event === "tool:end" && event.span_id === spanId);
    return end?.error ? `: ${end.error.code}, ${end.error.message}` : "";
  }
}
