/** Which turn and which of its tools the Tools place shows. It stands in the address: links and reloads keep it. */
import type { SessionView, ToolView, TurnView } from "../../../src/story/session-view.ts";
import { navigate, type PageRoute, useRoute } from "../route.ts";

export interface Chosen {
  turn: TurnView;
  /** Null when the turn has no tools. */
  tool: ToolView | null;
}

/** Null while no turn has used a tool. Without a choice: the newest turn with tools, and what went wrong in it. */
export function useChosenTool(view: SessionView): Chosen | null {
  const route = useRoute();
  const [turnId, key] = readItem(route.kind === "session" ? route.item : undefined);
  const withTools = view.turns.filter(({ plans }) => plans.length > 0);
  const turn = view.turns.find((each) => each.turnId === turnId) ?? withTools.at(-1);
  if (turn === undefined) return null;
  return { turn, tool: turn.tools.find((tool) => keyOf(turn, tool) === key) ?? mostTelling(turn.tools) };
}

export function routeToTool(sessionId: string, turn: TurnView, tool: ToolView | null): PageRoute {
  const item = tool === null ? turn.turnId : `${turn.turnId}:${keyOf(turn, tool)}`;
  return { kind: "session", sessionId, place: "tools", item };
}

/** Looking at another tool is no step to go back from. */
export function chooseTool(sessionId: string, turn: TurnView, tool: ToolView | null): void {
  navigate(routeToTool(sessionId, turn, tool), "replace");
}

/** A tool id is unique in its plan only. */
function keyOf({ plans }: TurnView, { planId, toolId }: ToolView): string {
  return `${plans.findIndex((plan) => plan.planId === planId) + 1}:${toolId}`;
}

function readItem(item: string | undefined): [turnId: string, key: string] {
  const colon = item?.indexOf(":") ?? -1;
  return colon === -1 ? [item ?? "", ""] : [item?.slice(0, colon) ?? "", item?.slice(colon + 1) ?? ""];
}

function mostTelling(tools: readonly ToolView[]): ToolView | null {
  const order: ToolView["status"][] = ["running", "retrying", "failed", "timeout"];
  const found = order.map((status) => tools.find((tool) => tool.status === status)).find((tool) => tool !== undefined);
  return found ?? tools.at(-1) ?? null;
}
