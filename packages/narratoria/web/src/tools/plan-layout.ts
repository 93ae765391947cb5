/** Where the tools of a plan stand in its picture: what waits stands below what it waits for. */
import { Graph, layout } from "@dagrejs/dagre";
import type { PlanView } from "../../../src/story/session-view.ts";

export const NODE = { width: 190, height: 64 };

export interface PlanLayout {
  places: Map<string, { x: number; y: number }>;
  height: number;
}

export function layOutPlan({ toolIds, dependencies }: PlanView): PlanLayout {
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 44 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of toolIds) graph.setNode(id, { ...NODE });
  for (const id of toolIds) for (const before of dependencies[id] ?? []) graph.setEdge(before, id);
  layout(graph);
  const places = new Map(
    toolIds.map((id) => {
      // The library counts from the middle of a node.
      const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
      return [id, { x: x - NODE.width / 2, y: y - NODE.height / 2 }];
    }),
  );
  const height = Math.max(...[...places.values()].map(({ y }) => y + NODE.height));
  return { places, height };
}
