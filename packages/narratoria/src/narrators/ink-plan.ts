/** From the tools that a pass met to a plan, and from the plans of the turn to what the next pass may know of them. */
import type { JsonObject } from "@narratoria/tool/json";
import type { InkOutcome, InkTool } from "./ink-play.ts";
import type { ToldPlan } from "./teller.ts";

export function makePlan(tools: readonly InkTool[], narrative: string, number: number): JsonObject {
  return {
    // The runtime puts its own in place of it.
    requestId: `ink-${number}`,
    narrative,
    tools: tools.map((tool) => ({
      toolId: tool.toolId,
      toolPath: tool.mount,
      ...(tool.operation === null ? {} : { operation: tool.operation }),
      input: tool.input,
      dependencies: dependenciesOf(tool, tools),
      required: !tool.optional,
      async: tool.async,
    })),
    parallel: tools.some(({ async }) => async),
  };
}

/** What the author says, and the last tools of the wish before: the second thing happens after the first. */
function dependenciesOf(tool: InkTool, tools: readonly InkTool[]): string[] {
  const planned = new Set(tools.map(({ toolId }) => toolId));
  const earlier = tools.filter(({ intent }) => intent < tool.intent);
  const latestIntent = Math.max(...earlier.map(({ intent }) => intent));
  const group = earlier.filter(({ intent }) => intent === latestIntent);
  const last = group.filter(({ toolId }) => !group.some(({ after }) => after.includes(toolId)));
  const wanted = [
    ...tool.after.filter((id) => planned.has(id) && id !== tool.toolId),
    ...last.map(({ toolId }) => toolId),
  ];
  return [...new Set(wanted)];
}

/** The tools that both passes met, in order, up to where they part. */
export function commonTools(a: readonly InkTool[], b: readonly InkTool[]): InkTool[] {
  const parting = a.findIndex((tool, index) => JSON.stringify(tool) !== JSON.stringify(b[index]));
  return parting < 0 ? [...a] : a.slice(0, parting);
}

/** What became of the turn's tools. Those that were skipped have not run: they may be planned again. */
export function knownOutcomes(plans: readonly ToldPlan[]): Record<string, InkOutcome> {
  const outcomes: Record<string, InkOutcome> = Object.create(null) as Record<string, InkOutcome>;
  let stateIndex = 0;
  for (const planned of plans) {
    if (planned.kind === "rejected") {
      // Asked the same again, it would be rejected again: its tools count as failed.
      for (const toolId of planned.toolIds) outcomes[toolId] = { ok: false, summary: "", stateIndex };
      continue;
    }
    stateIndex++;
    for (const { toolId, ok, state, summary } of planned.tools) {
      if (state !== "skipped") outcomes[toolId] = { ok, summary, stateIndex };
    }
  }
  return outcomes;
}
